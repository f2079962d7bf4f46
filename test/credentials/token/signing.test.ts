import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import { TOKEN_PATH } from '../../../api/tokenEndpoint';
import type { RequestOptions } from '../../../credentials/token/confinement';
import { obtainToken, signRequest } from '../../../credentials/token/signing';
import { toStoredFields } from '../../../credentials/token/storedToken';
import { Emulator, UNLIMITED } from '../../../emulator/server';
import { accountOf } from '../../../shared/account/accounts';
import { announce, type CarriedToken } from '../../../shared/account/requestContext';
import type { Place } from '../../../shared/budget/budget';
import { Lane } from '../../../shared/budget/lane';
import { checkConnection, type Connection } from '../../../shared/connection';
import { credentialFor } from './credentialFor';
import { helpers } from './httpRequest';

const MINUTE = 60_000;
const TOKEN_NEEDED = 'A new token is needed';

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

	/** Signs it as n8n does: where a token is needed, it is obtained first. */
	async pass(): Promise<RequestOptions> {
		await expect(this.sign()).rejects.toThrow(TOKEN_NEEDED);
		await this.obtain();
		return await this.sign();
	}
}

/** A request of the node, announced to the credential, and what has become of it. */
class NodeRequest extends Request {
	place: Place | undefined;

	token: CarriedToken | undefined;

	readonly lane = new Lane();

	constructor(stored: ICredentialDataDecryptedObject, document: string, maxWaitMs = MINUTE) {
		super(stored);
		const { lane } = this;
		announce(this.credential, {
			account: accountOfStored(stored),
			document,
			lane,
			maxWaitMs: () => maxWaitMs - lane.waitedMs(performance.now()),
			signal: new AbortController().signal,
			onSent: (place, token) => {
				Object.assign(this, { place, token });
			},
			onTooLate: () => {},
		});
	}
}

describe('username and password', () => {
	it.each<[string, (baseUrl: string) => IHttpRequestOptions]>([
		['reads', (baseURL) => ({ method: 'GET', url: TOKEN_PATH, baseURL })],
		['goes elsewhere', (baseURL) => ({ method: 'POST', url: '/meta/sites/1001', baseURL })],
		['is spelled otherwise', (baseUrl) => ({ method: 'POST', url: `${baseUrl}${TOKEN_PATH}` })],
	])('are not filled into a request that %s', async (_what, options) => {
		const signed = await new Request(newCredential(), options(emulator.baseUrl)).pass();

		expect(signed.headers).toMatchObject({ Authorization: expect.stringMatching(/^Bearer /) });
		expect(signed.body).toBeUndefined();
	});

	it('are not filled into a request without an address of its own', async () => {
		const request = new Request(newCredential(), { method: 'POST', url: TOKEN_PATH });

		await expect(request.sign()).rejects.toThrow(/^This credential is for .* only/);
	});
});

describe('a request of the node', () => {
	it('holds the token with which it was signed, also where another one obtained it', async () => {
		const stored = newCredential();
		const [first, second] = [new NodeRequest(stored, 'one'), new NodeRequest(stored, 'two')];
		await first.pass();
		await second.sign();

		const { accessToken, tokenBinding } = first.credential;
		expect(second.credential).toMatchObject({ accessToken, tokenBinding });
	});

	it('obtains nothing before it is known', async () => {
		const { credential } = new NodeRequest(newCredential(), 'one');

		await expect(obtainToken(helpers, credential)).resolves.toEqual({});
		expect(logins()).toBe(0);
	});

	it('reports to the account which documents its token was accepted and rejected for', async () => {
		const stored = newCredential();
		const first = new NodeRequest(stored, 'one');
		await first.pass();
		expect(first.token?.reject()).toBe(true);
		const second = new NodeRequest(stored, 'one');
		await second.pass();

		expect(second.token?.reject()).toBe(false);
		second.token?.accept();
		expect(second.token?.reject()).toBe(true);
	});

	it('goes before the others of its lane once it has waited before a login', async () => {
		const requestsPerMinute = 2;
		const request = new NodeRequest(newCredential(requestsPerMinute), 'one', 2 * MINUTE);
		await expect(request.sign()).rejects.toThrow(TOKEN_NEEDED);
		await request.obtain();
		const { budget } = accountOfStored(request.credential);
		const controller = new AbortController();
		const { signal } = controller;
		const entry = { lane: request.lane, requestsPerMinute, maxWaitMs: 2 * MINUTE, signal };
		const place = await budget.enter(entry);
		const other = budget.enter(entry);
		const signing = request.sign();
		await new Promise((resolve) => setImmediate(resolve));

		place?.giveBack();

		await expect(signing).resolves.toBeDefined();
		controller.abort();
		await expect(other).resolves.toBeUndefined();
	});

	it('waits for the budget in place of its login, and does not pass its place on for ever', async () => {
		const stored = newCredential(3);
		const entry = { lane: new Lane(), requestsPerMinute: 3, maxWaitMs: 0 };
		const requests = ['one', 'two'].map(
			(document) => new NodeRequest(stored, document, 2 * MINUTE),
		);
		for (const request of requests) await expect(request.sign()).rejects.toThrow(TOKEN_NEEDED);
		const places: Place[] = [];
		while (places.length < 3) {
			places.push((await accountOfStored(stored).budget.enter(entry)) as Place);
		}
		const [first, ...others] = places;
		for (const place of places) place.accept();
		const obtaining = requests.map(async (request) => await request.obtain());
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect(logins()).toBe(0);

		first?.giveBack();

		await Promise.any(obtaining);
		for (const place of others) place.giveBack();
		await Promise.all(obtaining);
		const [one, two] = await Promise.all(requests.map(async (request) => await request.sign()));
		expect(one?.headers).toEqual(two?.headers);
		expect(logins()).toBe(1);
	});
});

describe('where its token was rejected for another request before it was signed', () => {
	it.each([
		['a request of the node asks for another one', true],
		['a request of another node is sent with it, since n8n asks only once', false],
	])('%s', async (_what, isOfNode) => {
		const stored = newCredential();
		const request = isOfNode ? new NodeRequest(stored, 'one') : new Request(stored);
		await expect(request.sign()).rejects.toThrow(TOKEN_NEEDED);
		await request.obtain();
		const other = new NodeRequest(stored, 'two');
		await other.sign();
		expect(other.token?.reject()).toBe(true);

		const signing = request.sign();

		if (isOfNode) await expect(signing).rejects.toThrow(TOKEN_NEEDED);
		else {
			const Authorization = `Bearer ${String(request.credential.accessToken)}`;
			await expect(signing).resolves.toMatchObject({ headers: { Authorization } });
		}
	});
});

describe('a request of another node', () => {
	it('has a token that another process has stored, and counts until a minute after its answer, which is seen only if it fails', async () => {
		const stored = newCredential(1);
		const { budget, connection, tokens } = accountOfStored(stored);
		const { access_token: value } = emulator.tokens.issue(connection.username);
		Object.assign(stored, toStoredFields(connection, { value, issuedAt: Date.now() }));

		const request = new Request(stored);
		await request.sign();
		expect(budget.closedMs(new Lane())).toBeGreaterThan(MINUTE);

		const renewed = { token: { value: 'renewed', issuedAt: Date.now() } };
		await tokens.renew(true, async () => await Promise.resolve(renewed));
		await request.obtain();
		expect(budget.closedMs(new Lane())).toBeLessThanOrEqual(MINUTE);
		expect(logins()).toBe(0);
	});

	it('does not wait for longer than five minutes', async () => {
		const stored = newCredential();
		const entry = { lane: new Lane(), requestsPerMinute: Infinity, maxWaitMs: 0 };
		(await accountOfStored(stored).budget.enter(entry))?.refuse(6 * MINUTE);

		await expect(new Request(stored).sign()).rejects.toThrow(
			'The account has reached its limit and may send again in 6 minutes',
		);
	});
});
