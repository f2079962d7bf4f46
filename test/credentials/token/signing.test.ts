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

/** A signal, and what aborts it. */
function ending(): { signal: AbortSignal; abort: () => void } {
	const controller = new AbortController();
	return { signal: controller.signal, abort: () => controller.abort() };
}

const siteOf = ({ baseUrl }: ICredentialDataDecryptedObject, siteId = 1001) =>
	`${String(baseUrl)}/meta/sites/${siteId}`;

const tokenOf = ({ headers }: RequestOptions) => String(headers?.Authorization);

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

describe('username and password', () => {
	async function sign(username: string, options: IHttpRequestOptions): Promise<RequestOptions> {
		const credential = newCredential(username);
		await expect(signRequest(credential, options)).rejects.toThrow('A new token is needed');
		Object.assign(credential, await obtainToken(helpers, credential));
		return await signRequest(credential, options);
	}

	it('are filled into the credential test', async () => {
		const baseURL = emulator.baseUrl;
		const signed = await sign('tester', { method: 'POST', url: TOKEN_PATH, baseURL });

		expect(signed).toMatchObject({ body: { username: 'tester', password: 'password' } });
	});

	it.each<[string, (baseUrl: string) => IHttpRequestOptions]>([
		['reads', (baseURL) => ({ method: 'GET', url: TOKEN_PATH, baseURL })],
		['goes elsewhere', (baseURL) => ({ method: 'POST', url: '/meta/sites/1001', baseURL })],
		['is spelled otherwise', (baseUrl) => ({ method: 'POST', url: `${baseUrl}${TOKEN_PATH}` })],
	])('are not filled into a request that %s', async (what, options) => {
		const signed = await sign(`not-tester-${what}`, options(emulator.baseUrl));

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
	it('is signed with the token that is stored, without a login', async () => {
		const first = new Passing(newCredential('stored'), 'one');
		const token = tokenOf(await first.pass());
		const second = new Passing(first.credential, 'two');

		expect(tokenOf(await second.sign())).toBe(token);
		expect(emulator.journal.count('token')).toBe(1);
	});

	it('holds the token with which it was signed, also where another one obtained it', async () => {
		const stored = newCredential('kept');
		const first = new Passing(stored, 'one');
		await first.pass();
		const second = new Passing(stored, 'two');
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
		const first = new Passing(stored, 'one');
		await expect(first.sign()).rejects.toThrow('A new token is needed');
		await first.obtain();
		const second = new Passing(stored, 'two');
		await second.sign();
		expect(second.token?.reject()).toBe(true);

		await expect(first.sign()).rejects.toThrow('A new token is needed');
		expect(first.place).toBeUndefined();
	});

	it('tells the account that its token was accepted', async () => {
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

	it('goes before the others of its lane once it has had its turn before a login', async () => {
		const passing = new Passing(
			newCredential('urgent', { requestsPerMinute: 2 }),
			'one',
			2 * MINUTE,
		);
		await expect(passing.sign()).rejects.toThrow('A new token is needed');
		await passing.obtain();
		const budget = budgetFor(passing.credential);
		const { signal, abort } = ending();
		const entry = { lane: passing.lane, requestsPerMinute: 2, maxWaitMs: 2 * MINUTE, signal };
		const place = await budget.enter(entry);
		const other = budget.enter(entry);
		const signing = passing.sign();
		await new Promise((resolve) => setImmediate(resolve));

		place?.giveBack();

		await expect(signing).resolves.toBeDefined();
		abort();
		await expect(other).resolves.toBeUndefined();
	});

	it('counts once in the budget, and so does its login', async () => {
		const passing = new Passing(newCredential('frugal', { requestsPerMinute: 2 }), 'one', 0);

		await passing.pass();

		expect(passing.isTooLate).toBe(false);
		passing.place?.accept();
		const next = new Passing(passing.credential, 'two', 0);
		await expect(next.sign()).rejects.toThrow(
			'The account has reached its limit and may send again in 60 seconds',
		);
		expect(next.isTooLate).toBe(true);
		expect(next.place).toBeUndefined();
	});

	it('waits for the budget in place of its login, which it shares with others', async () => {
		const stored = newCredential('patient', { requestsPerMinute: 3 });
		const passings = ['one', 'two'].map((document) => new Passing(stored, document, 2 * MINUTE));
		for (const passing of passings) {
			await expect(passing.sign()).rejects.toThrow('A new token is needed');
		}
		const entry = { lane: new Lane(), requestsPerMinute: 3, maxWaitMs: 0 };
		const places = [];
		for (let count = 0; count < 3; count++) {
			const place = await budgetFor(stored).enter(entry);
			place?.accept();
			places.push(place);
		}
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

	it('waits for as long as it may in all, where a part of that was before its login', async () => {
		const stored = newCredential('persevering', { requestsPerMinute: 1 });
		const entry = { lane: new Lane(), requestsPerMinute: 1, maxWaitMs: 0 };
		const occupyForAWhile = async () => {
			const place = await budgetFor(stored).enter(entry);
			setTimeout(() => place?.giveBack(), 1500);
		};
		const passing = new Passing(stored, 'one', 4000);
		await occupyForAWhile();
		await expect(passing.sign()).rejects.toThrow('A new token is needed');
		await occupyForAWhile();

		await expect(passing.sign()).rejects.toThrow('A new token is needed');
		expect(passing.isTooLate).toBe(false);
	});

	it('waits no longer in all than it may, before and after its login', async () => {
		const stored = newCredential('steadfast', { requestsPerMinute: 1 });
		const entry = { lane: new Lane(), requestsPerMinute: 1, maxWaitMs: 0 };
		const occupyForAWhile = async () => {
			const place = await budgetFor(stored).enter(entry);
			setTimeout(() => place?.giveBack(), 400);
		};
		const passing = new Passing(stored, 'one', 600);
		await occupyForAWhile();
		await expect(passing.sign()).rejects.toThrow('A new token is needed');
		await occupyForAWhile();

		await expect(passing.sign()).rejects.toThrow(
			/^The account has reached its limit and may send again in/,
		);
		expect(passing.isTooLate).toBe(true);
	});

	it('fails where it would have to wait for too long', async () => {
		emulator.fail({ route: 'token', fault: { kind: 'status', status: 429 } });
		const passing = new Passing(newCredential('impatient'), 'one', MINUTE / 2);
		await expect(passing.sign()).rejects.toThrow('A new token is needed');

		await expect(passing.obtain()).rejects.toMatchObject({
			message: 'The account has reached its limit and may send again in 60 seconds',
			description:
				'The service refused requests because there were too many, so nothing is sent for now. Try again after that.',
		});
		expect(passing.isTooLate).toBe(true);
		expect(emulator.journal.count('token')).toBe(1);
	});
});

describe('a credential test', () => {
	const optionsOf = ({ baseUrl }: ICredentialDataDecryptedObject): IHttpRequestOptions => ({
		method: 'POST',
		url: TOKEN_PATH,
		baseURL: String(baseUrl),
	});

	/** What n8n does before it sends the test itself. */
	async function test(stored: ICredentialDataDecryptedObject): Promise<RequestOptions> {
		const credential = { ...stored };
		const options = optionsOf(credential);
		await expect(signRequest(credential, options)).rejects.toThrow('A new token is needed');
		Object.assign(credential, await obtainToken(helpers, credential));
		return await signRequest(credential, options);
	}

	it('logs in although there is a token, and is over with that', async () => {
		const passing = new Passing(newCredential('tested'), 'one');
		await passing.pass();

		await test(passing.credential);

		expect(emulator.journal.count('token')).toBe(2);
	});

	it('ends what is known of documents and tokens', async () => {
		const stored = newCredential('tested again');
		const ask = async (isAccepted: boolean) => {
			const passing = new Passing(stored, isAccepted ? 'good' : 'bad');
			await passing.sign().catch(async () => {
				await passing.obtain();
				await passing.sign();
			});
			if (!isAccepted) return passing.token?.reject();
			passing.token?.accept();
			return undefined;
		};
		for (let tokens = 0; tokens < 2; tokens++) {
			await ask(true);
			await ask(false);
		}
		await expect(ask(false)).resolves.toBe(false);

		await test(stored);

		await expect(ask(false)).resolves.toBe(true);
	});

	it('waits for a few seconds at most', async () => {
		emulator.fail({ route: 'token', fault: { kind: 'status', status: 429 } });

		await expect(test(newCredential('tested too often'))).rejects.toThrow(
			'The account has reached its limit and may send again in 60 seconds',
		);
		expect(emulator.journal.count('token')).toBe(1);
	});
});

describe('a request of another node', () => {
	const send = async (database: Database, siteId = 1001) => {
		const credential = { ...database.stored };
		return await database.requestInOldSpelling(credential, siteOf(credential, siteId));
	};
	const statusOf = async (sending: Promise<AxiosResponse>) =>
		await sending.then(
			({ status }) => status,
			(error: AxiosError) => error.response?.status,
		);

	it('logs in where there is no token', async () => {
		await expect(statusOf(send(new Database(newCredential('other'))))).resolves.toBe(200);
		expect(emulator.journal.count('token')).toBe(1);
	});

	it('fails with the answer that it got, and costs one further login, however many do', async () => {
		const database = new Database(newCredential('other unknown'));

		for (let count = 0; count < 20; count++) {
			await expect(statusOf(send(database, 9999))).resolves.toBe(404);
		}
		expect(emulator.journal.count('token')).toBe(2);
		// The first one is sent again, with the token of the second login.
		expect(emulator.journal.count('site')).toBe(21);
	});

	it('is sent again with the token that another request has obtained', async () => {
		const database = new Database(newCredential('other late'));
		await send(database);
		const stored = { ...database.stored };
		emulator.tokens.revokeAll();
		await readSite(new Database({ ...stored }), 1001);
		emulator.reset();

		await expect(statusOf(send(new Database(stored)))).resolves.toBe(200);
		expect(emulator.journal.count('token')).toBe(0);
		expect(emulator.journal.of('site').map(({ status }) => status)).toEqual([200]);
	});

	it('is sent again with a new token where that of another process has died', async () => {
		const stored = newCredential('other dead');
		const dead = { value: 'dead', issuedAt: Date.now() - MINUTE };
		Object.assign(stored, toStoredFields(connectionOf(stored), dead));

		await expect(statusOf(send(new Database(stored)))).resolves.toBe(200);
		expect(emulator.journal.count('token')).toBe(1);
		expect(emulator.journal.of('site').map(({ status }) => status)).toEqual([401, 200]);
		expect(stored.accessToken).not.toBe('dead');
	});

	it('counts in the budget until a minute after its answer at the latest, which nobody sees', async () => {
		const stored = newCredential('other counted', { requestsPerMinute: 1 });
		const connection = connectionOf(stored);
		const { access_token: value } = emulator.tokens.issue('other counted');
		Object.assign(stored, toStoredFields(connection, { value, issuedAt: Date.now() }));

		await expect(statusOf(send(new Database(stored)))).resolves.toBe(200);

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
		const place = await budgetFor(stored).enter({
			lane: new Lane(),
			requestsPerMinute: Infinity,
			maxWaitMs: 0,
		});
		place?.refuse(6 * MINUTE);

		const message = 'The account has reached its limit and may send again in 6 minutes';
		await expect(send(new Database(stored))).rejects.toThrow(message);
	});
});
