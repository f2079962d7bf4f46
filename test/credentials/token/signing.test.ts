import type { AxiosError, AxiosResponse } from 'axios';
import fc from 'fast-check';
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import { TOKEN_PATH } from '../../../api/tokenEndpoint';
import type { RequestOptions } from '../../../credentials/token/confinement';
import { obtainToken, signRequest } from '../../../credentials/token/signing';
import { toStoredFields } from '../../../credentials/token/storedToken';
import { Emulator, UNLIMITED } from '../../../emulator/server';
import { userOf } from '../../../emulator/tokens';
import type { Place } from '../../../shared/budget/budget';
import { accountOf } from '../../../shared/account/accounts';
import { Lane } from '../../../shared/budget/lane';
import { announce, type CarriedToken } from '../../../shared/account/requestContext';
import { checkConnection, type Connection } from '../../../shared/connection';
import { credentialFor } from './credentialFor';
import { helpers, http } from './httpRequest';

const MINUTE = 60_000;

let emulator: Emulator;

beforeAll(async () => {
	emulator = await Emulator.start({ ...UNLIMITED, latencyMs: 3, latencyJitter: 0.9 });
});
beforeEach(() => emulator.reset());
afterAll(async () => await emulator.stop());

/** A credential as n8n stores it before its first use, for an account that the service knows. */
function newCredential(
	username: string,
	fields: ICredentialDataDecryptedObject = {},
): ICredentialDataDecryptedObject {
	emulator.settings.accounts[username] = 'password';
	const credential = credentialFor(emulator.baseUrl, username);
	return { ...credential, requestsPerMinute: 0, accessToken: '', tokenBinding: '', ...fields };
}

const connectionOf = (credential: ICredentialDataDecryptedObject) =>
	checkConnection(credential).value as Connection;

const budgetFor = (credential: ICredentialDataDecryptedObject) =>
	accountOf(connectionOf(credential)).budget;

/** A request of the node, announced to the credential, and what has become of it. */
class Passing {
	place: Place | undefined;

	token: CarriedToken | undefined;

	isTooLate = false;

	readonly lane = new Lane();

	readonly credential: ICredentialDataDecryptedObject;

	constructor(stored: ICredentialDataDecryptedObject, document: string, maxWaitMs = MINUTE) {
		this.credential = { ...stored };
		const { lane } = this;
		announce(this.credential, {
			account: accountOf(connectionOf(stored)),
			document,
			lane,
			maxWaitMs: () => maxWaitMs - lane.waitedMs(performance.now()),
			signal: new AbortController().signal,
			onSent: (place, token) => {
				Object.assign(this, { place, token });
			},
			onTooLate: () => {
				this.isTooLate = true;
			},
		});
	}

	async sign(): Promise<RequestOptions> {
		return await signRequest(this.credential, { url: siteOf(this.credential) });
	}

	async obtain(): Promise<void> {
		Object.assign(this.credential, await obtainToken(helpers, this.credential));
	}

	/** Signs it as n8n does: where a token is needed, it is obtained first. */
	async pass(): Promise<RequestOptions> {
		await expect(this.sign()).rejects.toThrow('A new token is needed');
		await this.obtain();
		return await this.sign();
	}
}

const siteOf = ({ baseUrl }: ICredentialDataDecryptedObject, siteId = 1001) =>
	`${String(baseUrl)}/meta/sites/${siteId}`;

/** n8n's database, as far as one credential is concerned, and its helpers (n8n 1.123 and 2.40). */
class Database {
	/** How often a request of the node gave n8n a token to store. */
	stores = 0;

	constructor(readonly stored: ICredentialDataDecryptedObject) {}

	/** The newer helper, as the node uses it: an unsuccessful status is an answer like others. */
	async request(
		credential: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	): Promise<AxiosResponse> {
		const renew = async () => {
			const fields = await obtainToken(helpers, credential);
			if (fields.accessToken === undefined) return;
			this.stores += 1;
			this.store(credential, fields);
		};
		const signAndSend = async () => {
			const { url, headers } = await signRequest(credential, options);
			return await http.get(url, {
				headers: headers as Record<string, string>,
				validateStatus: () => true,
			});
		};
		try {
			if (credential.accessToken === '') await renew();
			return await signAndSend();
		} catch (error) {
			if ((error as AxiosError).response?.status !== 401) throw error;
		}
		await renew();
		return await signAndSend();
	}

	/** The older helper, which the HTTP Request node uses: any failure asks for a token. */
	async requestInOldSpelling(
		credential: ICredentialDataDecryptedObject,
		uri: string,
	): Promise<AxiosResponse> {
		let options = { uri, headers: marked(credential) } as unknown as RequestOptions;
		const signAndSend = async () => {
			options = await signRequest(credential, options);
			return await http.get(String(options.uri), {
				headers: options.headers as Record<string, string>,
			});
		};
		try {
			if (credential.accessToken === '') {
				this.store(credential, await obtainToken(helpers, credential));
			}
			return await signAndSend();
		} catch (error) {
			const fields = await obtainToken(helpers, credential);
			if (fields.accessToken === undefined) throw error;
			this.store(credential, fields);
			return await signAndSend();
		}
	}

	private store(credential: ICredentialDataDecryptedObject, fields: object): void {
		if (credential.username === this.stored.username) Object.assign(this.stored, fields);
		Object.assign(credential, fields);
	}
}

/** Tells the service who is to send the request. */
const marked = ({ username }: ICredentialDataDecryptedObject) => ({ 'x-username': username });

/** Reads a site as the node does. */
async function readSite(database: Database, siteId: number): Promise<AxiosResponse> {
	const execution = { ...database.stored };
	for (let tokens = 1; ; tokens++) {
		const passing = new Passing(execution, `site ${siteId}`);
		const { credential } = passing;
		const response = await database.request(credential, {
			url: siteOf(credential, siteId),
			headers: marked(credential),
		});
		passing.place?.accept();
		const { accessToken, tokenBinding } = credential;
		Object.assign(execution, { accessToken, tokenBinding });
		if (response.status !== 401) {
			passing.token?.accept();
			return response;
		}
		if (!passing.token?.reject() || tokens === 4) return response;
	}
}

/** What happens, one after the other; the requests of a burst run at the same time. */
type Happening =
	| { kind: 'requests'; count: number }
	| { kind: 'others'; count: number; siteId: number }
	| { kind: 'edit'; account: number }
	| { kind: 'revoke' }
	| { kind: 'fail'; route: 'token' | 'site'; times: number };

/** The last account has a wrong password. */
const ACCOUNTS = 3;
const WRONG = ACCOUNTS - 1;

const happening: fc.Arbitrary<Happening> = fc.oneof(
	{
		weight: 5,
		arbitrary: fc.record({
			kind: fc.constant('requests' as const),
			count: fc.integer({ min: 1, max: 8 }),
		}),
	},
	fc.record({
		kind: fc.constant('others' as const),
		count: fc.integer({ min: 1, max: 4 }),
		siteId: fc.constantFrom(1001, 9999),
	}),
	{
		weight: 3,
		arbitrary: fc.record({ kind: fc.constant('edit' as const), account: fc.nat(WRONG) }),
	},
	fc.constant<Happening>({ kind: 'revoke' }),
	fc.record({
		kind: fc.constant('fail' as const),
		route: fc.constantFrom('token' as const, 'site' as const),
		times: fc.integer({ min: 1, max: 2 }),
	}),
);

interface Outcome {
	username: string;
	isOfAnother: boolean;
	status?: number | undefined;
	failure?: string;
}

interface History {
	outcomes: Outcome[];
	/** Whose token each request carried, beside who was to send it. */
	carried: Array<{ bearer: string; username: string }>;
	/** Token requests by username. */
	logins: Record<string, number>;
	/** How often the node gave n8n a token to store. */
	stores: number;
	/** Tokens that were issued. */
	exchanges: number;
	/** How often tokens have died. */
	deaths: number;
	/** How many requests get no answer. */
	failures: number;
}

let worlds = 0;

async function play(happenings: readonly Happening[]): Promise<History> {
	worlds += 1;
	emulator.reset();
	const usernames = Array.from({ length: ACCOUNTS }, (_, index) => `world-${worlds}-${index}`);
	const database = new Database(newCredential(usernames[0] ?? ''));
	usernames.forEach((username, index) => {
		emulator.settings.accounts[username] = index === WRONG ? 'another' : 'password';
	});
	const outcomes: Outcome[] = [];
	let deaths = 0;
	let failures = 0;

	const run = async (count: number, isOfAnother: boolean, send: () => Promise<AxiosResponse>) => {
		const username = String(database.stored.username);
		const one = async () => {
			try {
				outcomes.push({ username, isOfAnother, status: (await send()).status });
			} catch (error) {
				const { response, message } = error as AxiosError;
				outcomes.push({ username, isOfAnother, status: response?.status, failure: message });
			}
		};
		await Promise.all(Array.from({ length: count }, one));
	};
	for (const event of happenings) {
		switch (event.kind) {
			case 'requests':
				await run(event.count, false, async () => await readSite(database, 1001));
				break;
			case 'others':
				await run(event.count, true, async () => {
					const credential = { ...database.stored };
					const uri = siteOf(credential, event.siteId);
					return await database.requestInOldSpelling(credential, uri);
				});
				break;
			case 'edit':
				database.stored.username = usernames[event.account] ?? '';
				break;
			case 'revoke':
				emulator.tokens.revokeAll();
				deaths += 1;
				break;
			case 'fail': {
				const { route, times } = event;
				emulator.fail({ route, times, fault: { kind: 'reset' } });
				failures += times;
				break;
			}
		}
	}
	const carried = emulator.journal.of('site').map(({ headers }) => ({
		bearer: userOf(headers.authorization),
		username: String(headers['x-username']),
	}));
	const logins: Record<string, number> = {};
	for (const { account = '' } of emulator.journal.of('token')) {
		logins[account] = (logins[account] ?? 0) + 1;
	}
	const { exchanges } = emulator.journal;
	return { outcomes, carried, logins, stores: database.stores, exchanges, deaths, failures };
}

const isWrong = ({ username }: { username: string }) => username.endsWith(`-${WRONG}`);

/** Checks what must hold of any history. */
function check({ outcomes, carried, logins, stores, exchanges, deaths, failures }: History): void {
	// No request carries a token of another account.
	expect(carried.filter(({ bearer, username }) => bearer !== username)).toEqual([]);
	// Logins are those that the events make necessary.
	for (const [username, count] of Object.entries(logins)) {
		expect(count).toBeLessThanOrEqual(1 + (isWrong({ username }) ? 0 : deaths) + failures);
	}
	// The node gives n8n each token once.
	expect(stores).toBeLessThanOrEqual(exchanges);
	// Each request ends in success or a clear sentence; one of another node with the answer that it has got.
	const unexpected = outcomes.filter((outcome) => {
		const { isOfAnother, status, failure = '' } = outcome;
		if (failures > 0 && failure !== '') return false;
		if (isWrong(outcome)) return failure !== 'The service refused the username and password';
		return status !== 200 && !(isOfAnother && (status === 404 || (deaths > 0 && status === 401)));
	});
	expect(unexpected).toEqual([]);
}

describe('whatever happens', () => {
	const sequences = fc.array(happening, { minLength: 3, maxLength: 10 });
	const samples = fc.sample(sequences, { numRuns: 20, seed: 20_250_101 });

	it.each(samples.map((sequence, index) => [index, sequence] as const))(
		'each request has a token of its own account, and no login is made without need: history %d',
		async (_index, sequence) => {
			check(await play(sequence));
		},
	);
});

/** Signs a request as n8n does: where a token is needed, it is obtained first. */
async function sign(
	credential: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
): Promise<RequestOptions> {
	await expect(signRequest(credential, options)).rejects.toThrow('A new token is needed');
	Object.assign(credential, await obtainToken(helpers, credential));
	return await signRequest(credential, options);
}

/** The options of n8n's credential test. */
const testOf = ({ baseUrl }: ICredentialDataDecryptedObject): IHttpRequestOptions => ({
	method: 'POST',
	url: TOKEN_PATH,
	baseURL: String(baseUrl),
});

describe('username and password', () => {
	it.each<[string, (baseUrl: string) => IHttpRequestOptions]>([
		['reads', (baseURL) => ({ method: 'GET', url: TOKEN_PATH, baseURL })],
		['goes elsewhere', (baseURL) => ({ method: 'POST', url: '/meta/sites/1001', baseURL })],
		['is spelled otherwise', (baseUrl) => ({ method: 'POST', url: `${baseUrl}${TOKEN_PATH}` })],
	])('are not filled into a request that %s', async (what, options) => {
		const signed = await sign(newCredential(`not-tester-${what}`), options(emulator.baseUrl));

		expect(signed.headers).toMatchObject({ Authorization: expect.stringMatching(/^Bearer /) });
		expect(signed.body).toBeUndefined();
	});

	it('are not filled into a request without an address of its own', async () => {
		const options: IHttpRequestOptions = { method: 'POST', url: TOKEN_PATH };

		await expect(signRequest(newCredential('nowhere'), options)).rejects.toThrow(
			/^This credential is for .* only/,
		);
	});
});

describe('a request of the node', () => {
	it('holds the token with which it was signed, also where another one obtained it', async () => {
		const stored = newCredential('kept');
		const [first, second] = [new Passing(stored, 'one'), new Passing(stored, 'two')];
		await first.pass();
		await second.sign();

		const { accessToken, tokenBinding } = first.credential;
		expect(second.credential).toMatchObject({ accessToken, tokenBinding });
	});

	it('obtains nothing before it is known', async () => {
		const { credential } = new Passing(newCredential('early'), 'one');

		await expect(obtainToken(helpers, credential)).resolves.toEqual({});
		expect(emulator.journal.count('token')).toBe(0);
	});

	it('asks for another token where its own was rejected for another request before it was signed', async () => {
		const stored = newCredential('overtaken');
		const [first, second] = [new Passing(stored, 'one'), new Passing(stored, 'two')];
		await expect(first.sign()).rejects.toThrow('A new token is needed');
		await first.obtain();
		await second.sign();
		expect(second.token?.reject()).toBe(true);

		await expect(first.sign()).rejects.toThrow('A new token is needed');
		expect(first.place).toBeUndefined();
	});

	it('reports to the account which documents its token was accepted and rejected for', async () => {
		const stored = newCredential('accepted');
		const first = new Passing(stored, 'one');
		await first.pass();
		expect(first.token?.reject()).toBe(true);
		const second = new Passing(stored, 'one');
		await second.pass();

		expect(second.token?.reject()).toBe(false);
		second.token?.accept();
		expect(second.token?.reject()).toBe(true);
	});

	it('goes before the others of its lane once it has waited before a login', async () => {
		const requestsPerMinute = 2;
		const passing = new Passing(newCredential('urgent', { requestsPerMinute }), 'one', 2 * MINUTE);
		await expect(passing.sign()).rejects.toThrow('A new token is needed');
		await passing.obtain();
		const budget = budgetFor(passing.credential);
		const controller = new AbortController();
		const { signal } = controller;
		const entry = { lane: passing.lane, requestsPerMinute, maxWaitMs: 2 * MINUTE, signal };
		const place = await budget.enter(entry);
		const other = budget.enter(entry);
		const signing = passing.sign();
		await new Promise((resolve) => setImmediate(resolve));

		place?.giveBack();

		await expect(signing).resolves.toBeDefined();
		controller.abort();
		await expect(other).resolves.toBeUndefined();
	});

	it('counts once in the budget, and so does its login', async () => {
		const passing = new Passing(newCredential('frugal', { requestsPerMinute: 2 }), 'one', 0);
		await passing.pass();
		passing.place?.accept();
		const next = new Passing(passing.credential, 'two', 0);

		await expect(next.sign()).rejects.toThrow(
			'The account has reached its limit and may send again in 60 seconds',
		);
		expect([passing.isTooLate, next.isTooLate, next.place]).toEqual([false, true, undefined]);
	});

	it('waits for the budget in place of its login, which it shares with others', async () => {
		const stored = newCredential('patient', { requestsPerMinute: 3 });
		const passings = ['one', 'two'].map((document) => new Passing(stored, document, 2 * MINUTE));
		for (const passing of passings) {
			await expect(passing.sign()).rejects.toThrow('A new token is needed');
		}
		const entry = { lane: new Lane(), requestsPerMinute: 3, maxWaitMs: 0 };
		const places = await Promise.all(
			Array.from({ length: 3 }, async () => await budgetFor(stored).enter(entry)),
		);
		for (const place of places) place?.accept();
		const signing = passings.map(async (passing) => {
			await passing.obtain();
			return await passing.sign();
		});
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect(emulator.journal.count('token')).toBe(0);

		for (const place of places) place?.giveBack();

		const [one, two] = await Promise.all(signing);
		expect(one?.headers).toEqual(two?.headers);
		expect(emulator.journal.count('token')).toBe(1);
	});

	it('uses the last place in the budget for its login, and does not pass it on for ever', async () => {
		const stored = newCredential('last place', { requestsPerMinute: 2 });
		const passings = ['one', 'two'].map((document) => new Passing(stored, document, 2 * MINUTE));
		for (const passing of passings) {
			await expect(passing.sign()).rejects.toThrow('A new token is needed');
		}
		const entry = { lane: new Lane(), requestsPerMinute: 2, maxWaitMs: 0 };
		const [used, unused] = [
			await budgetFor(stored).enter(entry),
			await budgetFor(stored).enter(entry),
		];
		used?.accept();
		const obtaining = passings.map(async (passing) => await passing.obtain());
		await new Promise((resolve) => setTimeout(resolve, 50));

		unused?.giveBack();

		await Promise.any(obtaining);
		expect(emulator.journal.count('token')).toBe(1);
		used?.giveBack();
		await Promise.all(obtaining);
		expect(emulator.journal.count('token')).toBe(1);
	});
});

it('a credential test ends what is known of documents and tokens', async () => {
	const stored = newCredential('tested again');
	const ask = async (document: string) => {
		const passing = new Passing(stored, document);
		await passing.sign().catch(async () => {
			await passing.obtain();
			await passing.sign();
		});
		return passing.token;
	};
	for (let tokens = 0; tokens < 2; tokens++) {
		(await ask('good'))?.accept();
		(await ask('bad'))?.reject();
	}
	expect((await ask('bad'))?.reject()).toBe(false);

	await sign({ ...stored }, testOf(stored));

	expect((await ask('bad'))?.reject()).toBe(true);
});

describe('a request of another node', () => {
	const send = async (stored: ICredentialDataDecryptedObject) => {
		const credential = { ...stored };
		return await new Database(stored).requestInOldSpelling(credential, siteOf(credential));
	};

	it('counts in the budget until a minute after its answer at the latest, which nobody sees', async () => {
		const stored = newCredential('other counted', { requestsPerMinute: 1 });
		const { access_token: value } = emulator.tokens.issue('other counted');
		Object.assign(stored, toStoredFields(connectionOf(stored), { value, issuedAt: Date.now() }));

		await expect(send(stored)).resolves.toMatchObject({ status: 200 });

		expect(budgetFor(stored).closedMs(new Lane())).toBeGreaterThan(MINUTE);
	});

	it('is refused for good where it may not be signed', async () => {
		const credential = newCredential('other elsewhere');
		const options = { uri: 'https://example.com/' } as unknown as RequestOptions;
		await expect(signRequest(credential, options)).rejects.toThrow(/^This credential is for/);

		await expect(obtainToken(helpers, credential)).rejects.toThrow(/^This credential is for/);
		expect(emulator.journal.count('token')).toBe(0);
	});

	it('does not wait for longer than five minutes', async () => {
		const stored = newCredential('other patient');
		const entry = { lane: new Lane(), requestsPerMinute: Infinity, maxWaitMs: 0 };
		(await budgetFor(stored).enter(entry))?.refuse(6 * MINUTE);

		await expect(send(stored)).rejects.toThrow(
			'The account has reached its limit and may send again in 6 minutes',
		);
	});
});
