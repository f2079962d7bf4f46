import type { AxiosError } from 'axios';
import fc from 'fast-check';
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import { TOKEN_PATH } from '../../../api/tokenEndpoint';
import * as Signing from '../../../credentials/token/signing';
import { Emulator, UNLIMITED } from '../../../emulator/server';
import { userOf } from '../../../emulator/tokens';
import { credentialFor } from './credentialFor';
import { helpers, http } from './httpRequest';
import { loadMutant, type Mutation } from './mutant';

/** What happens, one after the other; the requests of a burst run at the same time. */
type Happening =
	| { kind: 'requests'; count: number }
	| { kind: 'edit'; account: number }
	| { kind: 'revoke' }
	| { kind: 'expire' }
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
	{
		weight: 3,
		arbitrary: fc.record({ kind: fc.constant('edit' as const), account: fc.nat(WRONG) }),
	},
	fc.constant<Happening>({ kind: 'revoke' }),
	fc.constant<Happening>({ kind: 'expire' }),
	fc.record({
		kind: fc.constant('fail' as const),
		route: fc.constantFrom('token' as const, 'site' as const),
		times: fc.integer({ min: 1, max: 3 }),
	}),
);

interface Outcome {
	username: string;
	status?: number | undefined;
	failure?: string;
}

interface History {
	outcomes: Outcome[];
	/** Whose token each request carried, beside who was to send it. */
	carried: Array<{ bearer: string; username: string }>;
	/** Token requests by username. */
	logins: Record<string, number>;
	stores: number;
	/** Tokens that were issued. */
	exchanges: number;
	/** How often tokens have died. */
	deaths: number;
	failures: number;
}

let emulator: Emulator;
let worlds = 0;
/** How often n8n was given a token to store. */
let stores = 0;

beforeAll(async () => {
	emulator = await Emulator.start({ ...UNLIMITED, latencyMs: 3, latencyJitter: 0.9 });
});
afterAll(async () => await emulator.stop());

/** Sends a request on the way that n8n's authenticated helper takes (n8n 1.123 and 2.40). */
async function send(
	{ obtainToken, signRequest }: typeof Signing,
	stored: ICredentialDataDecryptedObject,
): Promise<Outcome> {
	const credential = { ...stored };
	const username = String(credential.username);
	const renew = async () => {
		const fields = await obtainToken(helpers, credential);
		if (fields.accessToken !== undefined) stores += 1;
		if (credential.username === stored.username) Object.assign(stored, fields);
		Object.assign(credential, fields);
	};
	let options: IHttpRequestOptions = {
		url: `${String(credential.baseUrl)}/meta/sites/1001`,
		headers: { 'x-username': username },
	};
	const signAndSend = async () => {
		options = signRequest(credential, options);
		return await http.get(options.url, { headers: options.headers as Record<string, string> });
	};
	try {
		if (credential.accessToken === '') await renew();
		return { username, status: (await signAndSend()).status };
	} catch (error) {
		if ((error as AxiosError).response?.status !== 401) return outcomeOf(username, error);
	}
	try {
		await renew();
		return { username, status: (await signAndSend()).status };
	} catch (error) {
		return outcomeOf(username, error);
	}
}

function outcomeOf(username: string, error: unknown): Outcome {
	const { response, message } = error as AxiosError;
	return { username, status: response?.status, failure: message };
}

async function play(signing: typeof Signing, happenings: readonly Happening[]): Promise<History> {
	worlds += 1;
	emulator.reset();
	stores = 0;
	const usernames = Array.from({ length: ACCOUNTS }, (_, index) => `world-${worlds}-${index}`);
	usernames.forEach((username, index) => {
		emulator.settings.accounts[username] = index === WRONG ? 'another' : 'password';
	});
	const stored: ICredentialDataDecryptedObject = {
		...credentialFor(emulator.baseUrl, usernames[0] ?? ''),
		accessToken: '',
		tokenBinding: '',
	};
	const history: History = {
		outcomes: [],
		carried: [],
		logins: {},
		stores: 0,
		exchanges: 0,
		deaths: 0,
		failures: 0,
	};
	for (const event of happenings) {
		switch (event.kind) {
			case 'requests': {
				const burst = Array.from({ length: event.count }, async () => await send(signing, stored));
				history.outcomes.push(...(await Promise.all(burst)));
				break;
			}
			case 'edit':
				stored.username = usernames[event.account] ?? '';
				break;
			case 'revoke':
			case 'expire':
				// The service tells no difference; the token was used long enough to count as proven.
				await new Promise((resolve) => setTimeout(resolve, 300));
				emulator.tokens.revokeAll();
				history.deaths += 1;
				break;
			case 'fail':
				emulator.fail({ route: event.route, times: event.times, fault: { kind: 'reset' } });
				history.failures += event.times;
				break;
		}
	}
	Object.assign(history, { stores, exchanges: emulator.journal.exchanges });
	for (const { headers } of emulator.journal.of('site')) {
		const bearer = userOf(headers.authorization);
		history.carried.push({ bearer, username: String(headers['x-username']) });
	}
	for (const { body } of emulator.journal.of('token')) {
		const { username } = JSON.parse(body) as { username: string };
		history.logins[username] = (history.logins[username] ?? 0) + 1;
	}
	return history;
}

const INVARIANTS: Record<string, { holds: (history: History) => boolean; guards: Mutation[] }> = {
	'no request carries a token of another account': {
		holds: ({ carried }) => carried.every(({ bearer, username }) => bearer === username),
		guards: [
			{
				file: 'issuedToken.ts',
				line: 'if (binding?.account !== fingerprint(connection, accessToken)) return undefined;',
				without: 'if (!binding) return undefined;',
			},
			{
				file: 'issuedToken.ts',
				line: 'digest([baseUrl, username, password, token])',
				without: 'digest([baseUrl, password, token])',
			},
			{
				file: 'account.ts',
				line: 'keepers.get(account)',
				without: 'keepers.values().next().value',
			},
		],
	},
	'logins never exceed what the events make necessary': {
		holds: ({ logins, deaths, failures }) =>
			Object.entries(logins).every(([username, count]) =>
				username.endsWith(`-${WRONG}`) ? count <= 1 + failures : count <= 1 + deaths + failures,
			),
		guards: [
			{
				file: 'tokenKeeper.ts',
				line: 'if (this.underWay) return await this.underWay;',
				without: '',
			},
			{ file: 'tokenKeeper.ts', line: 'if (failure) return { failure };', without: '' },
			{ file: 'account.ts', line: 'keepers.set(account, keeper);', without: '' },
		],
	},
	'n8n is given each token to store once': {
		holds: ({ stores: given, exchanges }) => given <= exchanges,
		guards: [
			{
				file: 'signing.ts',
				line: 'return isObtained || state.isOlder ? toStoredFields(connection, token) : {};',
				without: 'return toStoredFields(connection, token);',
			},
		],
	},
	'every request ends in success or a clear sentence': {
		holds: ({ outcomes, failures }) =>
			outcomes.every(({ username, status, failure = '' }) =>
				username.endsWith(`-${WRONG}`)
					? failure === 'The service refused the username and password' ||
						(failures > 0 && failure !== '')
					: status === 200 || failures > 0,
			),
		guards: [
			{ file: 'signing.ts', line: 'if (failure) throw new TokenFailure(failure);', without: '' },
			{
				file: 'tokenKeeper.ts',
				line: 'return isProven && this.earlyRenewals.length < MAX_EARLY_RENEWALS;',
				without: 'return false;',
			},
			{ file: 'signing.ts', line: 'if (!state.signature) throw tokenNeeded();', without: '' },
		],
	},
};

const sequences = fc.array(happening, { minLength: 3, maxLength: 10 });
const SEED = 20_250_101;

describe('username and password', () => {
	const credentialOf = (username: string) => {
		emulator.settings.accounts[username] = 'password';
		return credentialFor(emulator.baseUrl, username);
	};

	/** Signs a request as n8n does: where a token is needed, it is obtained first. */
	async function sign(
		username: string,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const credential = credentialOf(username);
		expect(() => Signing.signRequest(credential, options)).toThrow('A new token is needed');
		Object.assign(credential, await Signing.obtainToken(helpers, credential));
		return Signing.signRequest(credential, options);
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

	it('are not filled into a request without an address of its own', () => {
		expect(() =>
			Signing.signRequest(credentialOf('nowhere'), { method: 'POST', url: TOKEN_PATH }),
		).toThrow(/^This credential is for .* only/);
	});
});

describe('whatever happens', () => {
	const histories: History[] = [];

	beforeAll(async () => {
		const signing = await loadMutant<typeof Signing>('signing.ts');
		for (const happenings of fc.sample(sequences, { numRuns: 20, seed: SEED })) {
			histories.push(await play(signing, happenings));
		}
	}, 90_000);

	it.each(Object.entries(INVARIANTS))('%s', (_name, { holds }) => {
		expect(histories.flatMap(({ outcomes }) => outcomes).length).toBeGreaterThan(100);
		expect(histories.filter((history) => !holds(history))).toEqual([]);
	});
});

describe.each(Object.entries(INVARIANTS))('%s', (_name, { holds, guards }) => {
	it.each(guards)(
		'but not without: $line',
		async (mutation) => {
			const property = fc.asyncProperty(sequences, async (happenings) => {
				const signing = await loadMutant<typeof Signing>('signing.ts', mutation);
				return holds(await play(signing, happenings));
			});

			await expect(
				fc.check(property, { numRuns: 50, seed: SEED, endOnFailure: true }),
			).resolves.toMatchObject({ failed: true });
		},
		90_000,
	);
});
