import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import { TOKEN_PATH } from '../../../service/tokenEndpoint';
import type { RequestOptions } from '../../../credentials/token/confinement';
import { obtainToken, signRequest } from '../../../credentials/token/n8nHooks';
import { Emulator, UNLIMITED } from '../../../emulator/server';
import { accountOf } from '../../../account/accounts';
import { delayMs } from '../../../account/limit/plan';
import { jumpingTime } from '../../../testbed/engine/jumpingTime';
import { announce, type Login } from '../../../account/announcement';
import type { IssuedToken } from '../../../account/issuedToken';
import { storedToken, toStoredFields } from '../../../account/storedToken';
import { Queue } from '../../../account/limit/queue';
import type { Place } from '../../../account/limit/queue';
import { checkConnection, type Connection } from '../../../account/connection';
import { MINUTE_MS } from '../../../texts/duration';
import { settled } from '../../../testbed/simulation/virtualClock';
import { credentialFor } from './credentialFor';
import { helpers } from './httpRequest';

const TOKEN_NEEDED = 'A new token is needed';
const RESTRICTION = { allowedHttpRequestDomains: 'domains', allowedDomains: 'example.com' };
const LEFT_OUT = /^'Allowed HTTP Request Domains' in the credential leaves out /;

let emulator: Emulator;

beforeAll(async () => {
	emulator = await Emulator.start(UNLIMITED);
});
beforeEach(() => emulator.reset());
afterAll(async () => await emulator.stop());

let accounts = 0;

/** A credential as n8n stores it before its first use, for an account that nobody has used before. */
function newCredential(requestsPerMinute = 0): ICredentialDataDecryptedObject {
	const username = `signing-${(accounts += 1)}`;
	emulator.settings.accounts[username] = 'password';
	const credential = credentialFor(emulator.baseUrl, username);
	return { ...credential, requestsPerMinute, accessToken: '', tokenBinding: '' };
}

const accountOfStored = (credential: ICredentialDataDecryptedObject) =>
	accountOf(checkConnection(credential).value as Connection);

const logins = () => emulator.journal.count('token');

/** A request of another node. */
class Request {
	readonly credential: ICredentialDataDecryptedObject;

	constructor(
		stored: ICredentialDataDecryptedObject,
		private readonly options: RequestOptions = {
			url: `${String(stored.baseUrl)}/meta/sites/1001`,
		},
	) {
		this.credential = { ...stored };
	}

	async sign(): Promise<RequestOptions> {
		return await signRequest(this.credential, this.options);
	}

	async obtain(): Promise<void> {
		Object.assign(this.credential, await obtainToken(helpers, this.credential));
	}

	/** Signs it as n8n does: if a token is needed, it is obtained first. */
	async pass(): Promise<RequestOptions> {
		await expect(this.sign()).rejects.toThrow(TOKEN_NEEDED);
		await this.obtain();
		return await this.sign();
	}
}

const HEADER = { headers: { Authorization: expect.stringMatching(/^Bearer /) as unknown } };

/** Stores a token that was issued so long ago, which the service accepts. */
function storeToken(stored: ICredentialDataDecryptedObject, ageMs: number): IssuedToken {
	const { connection } = accountOfStored(stored);
	const { access_token: value } = emulator.tokens.issue(connection.username);
	const token = { value, issuedAt: Date.now() - ageMs };
	Object.assign(stored, toStoredFields(connection, token));
	return token;
}

it.each<[string, (baseUrl: string) => IHttpRequestOptions]>([
	['reads', (baseURL) => ({ method: 'GET', url: TOKEN_PATH, baseURL })],
	['goes elsewhere', (baseURL) => ({ method: 'POST', url: '/meta/sites/1001', baseURL })],
	['is spelled otherwise', (baseUrl) => ({ method: 'POST', url: `${baseUrl}${TOKEN_PATH}` })],
])('username and password are not filled into a request that %s', async (_what, options) => {
	const signed = await new Request(newCredential(), options(emulator.baseUrl)).pass();

	expect(signed.headers).toMatchObject({ Authorization: expect.stringMatching(/^Bearer /) });
	expect(signed.body).toBeUndefined();
});

it('username and password are not filled into a request without an address of its own', async () => {
	const request = new Request(newCredential(), { method: 'POST', url: TOKEN_PATH });

	await expect(request.sign()).rejects.toThrow(/^This credential is for .* only/);
});

/** A request of the node, which announces the token for it. */
function requestOfNode(stored = newCredential(1), url?: string): Request {
	const request = new Request(stored, url === undefined ? undefined : { url });
	const token = { value: 'announced', issuedAt: 0 };
	announce(request.credential, { account: accountOfStored(stored), token });
	return request;
}

/** A login of the node, which announces that it waits for the outcome. */
async function loginOfNode(stored = newCredential()) {
	const account = accountOfStored(stored);
	const place = (await account.budget.enter({ queue: new Queue() })) as Place;
	const credential = { ...stored };
	const login: Login = { place };
	announce(credential, { account, login });
	return { account, credential, login };
}

const testOf = (stored: ICredentialDataDecryptedObject) =>
	new Request(stored, { method: 'POST', url: TOKEN_PATH, baseURL: emulator.baseUrl });

it.each<[string, (stored: ICredentialDataDecryptedObject) => Promise<unknown>]>([
	['a request of the node', async (stored) => await requestOfNode(stored).sign()],
	[
		'a login of the node',
		async (stored) => await obtainToken(helpers, (await loginOfNode(stored)).credential),
	],
	['a credential test', async (stored) => await testOf(stored).sign()],
	['a request of another node', async (stored) => await new Request(stored).sign()],
])('%s fails if the allowed domains leave the service out', async (_what, begin) => {
	await expect(begin({ ...newCredential(), ...RESTRICTION })).rejects.toThrow(LEFT_OUT);
	expect(logins()).toBe(0);
});

it('a request of the node is signed with the token that is announced for it, and takes no place', async () => {
	const stored = { ...newCredential(1), accessToken: 'stored' };

	for (const request of [requestOfNode(stored), requestOfNode(stored)]) {
		await expect(request.sign()).resolves.toMatchObject({
			headers: { Authorization: 'Bearer announced', 'Service-Version': '2023-01-01' },
		});
	}

	expect(accountOfStored(stored).budget.isIdle()).toBe(true);
});

it('a request of the node obtains nothing', async () => {
	const { credential } = requestOfNode();

	await expect(obtainToken(helpers, credential)).resolves.toEqual({});
	expect(logins()).toBe(0);
});

it('a request of the node is not signed for another address', async () => {
	const request = requestOfNode(newCredential(), 'https://example.com/meta/sites/1001');

	await expect(request.sign()).rejects.toThrow(/^This credential is for .* only/);
});

it('a login of the node is one exchange, which announces the token and gives it to n8n to store', async () => {
	const { account, credential, login } = await loginOfNode();

	const fields = await obtainToken(helpers, credential);

	const token = login.outcome?.token;
	expect(emulator.journal.of('token').map(({ issued }) => issued)).toEqual([token?.value]);
	expect(storedToken(account, { ...credential, ...fields })).toEqual(token);
});

it.each<[string, number, object]>([
	['that is refused', 401, { failure: { loginRefused: true, cause: '401' } }],
	['for which there are too many requests', 429, {}],
])(
	'a login of the node %s says so in what is announced, and gives n8n nothing',
	async (_what, status, outcome) => {
		emulator.fail({ route: 'token', fault: { kind: 'status', status, body: '{}' } });
		const { credential, login } = await loginOfNode();

		await expect(obtainToken(helpers, credential)).resolves.toEqual({});
		expect(login.outcome).toMatchObject(outcome);
		expect(login.outcome).not.toHaveProperty('token');
	},
);

it('a login of the node is followed by no request', async () => {
	const { credential } = await loginOfNode();
	Object.assign(credential, await obtainToken(helpers, credential));

	const signing = signRequest(credential, { method: 'GET', url: String(credential.baseUrl) });

	await expect(signing).rejects.toThrow('Nothing is to be sent after a login');
	await expect(signing).rejects.not.toHaveProperty('response');
});

describe('a credential test', () => {
	it('a credential test logs in, and then has n8n log in, with a place for each', async () => {
		const stored = newCredential(3);

		await expect(testOf(stored).pass()).resolves.toMatchObject({
			method: 'POST',
			url: `${emulator.baseUrl}${TOKEN_PATH}`,
			body: { username: stored.username, password: 'password' },
		});

		expect(logins()).toBe(1);
		const { budget } = accountOfStored(stored);
		expect(delayMs(budget)).toBe(0);
		budget.requestsPerMinute = 2;
		expect(delayMs(budget)).toBeGreaterThan(50_000);
	});

	it('a credential test logs in although the login of a request was refused a moment ago', async () => {
		const stored = newCredential();
		emulator.fail({
			route: 'token',
			fault: { kind: 'status', status: 401, body: '{}' },
			times: 1,
		});
		await expect(new Request(stored).pass()).rejects.toThrow('The service refused the username');
		await expect(new Request(stored).pass()).rejects.toThrow('The service refused the username');
		expect(logins()).toBe(1);

		await expect(testOf(stored).pass()).resolves.toHaveProperty('body');
		expect(logins()).toBe(2);

		await expect(new Request(stored).pass()).resolves.toMatchObject(HEADER);
		expect(logins()).toBe(3);
	});

	describe('a credential test on a clock that jumps', () => {
		const { until } = jumpingTime();

		it('a credential test of an account that may send one request a minute ends within fifteen seconds, and says when the account may send again', async () => {
			const beganAt = performance.now();

			await expect(until(testOf(newCredential(1)).pass())).rejects.toThrow(
				/^The account has reached its limit and may send again in \d+ seconds\./,
			);

			expect(performance.now() - beganAt).toBeLessThan(15_000);
			expect(logins()).toBe(1);
		});
	});
});

describe('a request of another node', () => {
	const OLD_MS = 31_000;
	const YOUNG_MS = 20_000;

	it('a request of another node waits for its turn before it is signed, and takes one place for that', async () => {
		const stored = newCredential(2);
		storeToken(stored, YOUNG_MS);
		const { budget } = accountOfStored(stored);
		const place = (await budget.enter({ queue: new Queue() })) as Place;
		let isSigned = false;
		const signing = new Request(stored).sign().finally(() => (isSigned = true));
		await settled();
		expect(isSigned).toBe(false);

		budget.accept(place);

		await expect(signing).resolves.toMatchObject(HEADER);
		expect(delayMs(budget)).toBeGreaterThan(50_000);
	});

	it('a request of another node has a token that another process has stored, and is under way until its failure is known', async () => {
		const stored = newCredential(2);
		const { value } = storeToken(stored, YOUNG_MS);
		const { budget } = accountOfStored(stored);
		const request = new Request(stored);
		const { headers } = await request.sign();
		expect(headers).toMatchObject({ Authorization: `Bearer ${value}` });

		// Of two requests a minute, one may be under way.
		const next = budget.enter({ queue: new Queue(), endsAt: performance.now() + 1500 });
		await settled();
		await request.obtain();

		await expect(next).resolves.toBeDefined();
		expect(delayMs(budget)).toBeGreaterThan(50_000);
	});

	it('a request of another node is sent with its token where that was rejected for another one before it was signed, since n8n asks only once', async () => {
		const stored = newCredential();
		const request = new Request(stored);
		await expect(request.sign()).rejects.toThrow(TOKEN_NEEDED);
		await request.obtain();
		const { accessToken } = request.credential;
		const { tokens } = accountOfStored(stored);
		expect(tokens.reject({ value: String(accessToken), issuedAt: 0 }, 'another document')).toBe(
			'again',
		);

		await expect(request.sign()).resolves.toMatchObject({
			headers: { Authorization: `Bearer ${String(accessToken)}` },
		});
	});

	describe('a request of another node that has failed', () => {
		/** Signs a request with a stored token of that age. */
		async function failed(ageMs: number, isOlderSpelling = false) {
			const stored = newCredential();
			const token = storeToken(stored, ageMs);
			const uri = `${emulator.baseUrl}/meta/sites/1001`;
			const options = isOlderSpelling ? ({ uri } as RequestOptions) : undefined;
			const request = new Request(stored, options);
			await request.sign();
			return { request, token, account: accountOfStored(stored) };
		}

		it('a request of another node that has failed gets none where the service refuses requests because there are too many', async () => {
			const { request, account } = await failed(OLD_MS);
			account.budget.accept((await account.budget.enter({ queue: new Queue() })) as Place);
			account.budget.refuse((await account.budget.enter({ queue: new Queue() })) as Place);

			await expect(obtainToken(helpers, request.credential)).resolves.toEqual({});
			expect(logins()).toBe(0);
		});

		it.each([
			['which n8n reads where the request is spelled as the HTTP Request node does', true],
			['which it is signed with otherwise', false],
		])(
			'a request of another node that has failed gets the newer token that is known already, %s',
			async (_what, isOlderSpelling) => {
				const { request, account } = await failed(OLD_MS, isOlderSpelling);
				const token = { value: 'renewed', issuedAt: Date.now() };
				await account.tokens.renew(async () => await Promise.resolve({ token }));

				const fields = await obtainToken(helpers, request.credential);

				expect(fields).toEqual(isOlderSpelling ? toStoredFields(account.connection, token) : {});
				Object.assign(request.credential, fields);
				await expect(request.sign()).resolves.toMatchObject({
					headers: { Authorization: 'Bearer renewed' },
				});
				expect(logins()).toBe(0);
			},
		);

		it('a request of another node that has failed gets the failure of a login that is refused, and none is made for the next one', async () => {
			const { request } = await failed(OLD_MS);
			const next = new Request(request.credential);
			await next.sign();
			emulator.fail({ route: 'token', fault: { kind: 'status', status: 401, body: '{}' } });

			await expect(request.obtain()).rejects.toThrow('The service refused the username and');
			await expect(obtainToken(helpers, next.credential)).resolves.toEqual({});
			expect(logins()).toBe(1);
		});
	});

	it('a request of another node does not wait for longer than five minutes, and says so again where n8n asks for a token', async () => {
		const stored = newCredential();
		const { budget } = accountOfStored(stored);
		budget.refuse((await budget.enter({ queue: new Queue() })) as Place, 6 * MINUTE_MS);
		const request = new Request(stored);
		const told = 'The account has reached its limit and may send again in 6 minutes';

		await expect(request.sign()).rejects.toThrow(told);
		await expect(request.obtain()).rejects.toThrow(told);
	});
});
