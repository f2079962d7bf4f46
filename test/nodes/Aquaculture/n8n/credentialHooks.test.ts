import { Readable } from 'node:stream';
import type { IHttpRequestHelper } from 'n8n-workflow';
import { getAccount } from '../../../../nodes/Aquaculture/login/account';
import { authenticate, preAuthenticate } from '../../../../nodes/Aquaculture/n8n/credentialHooks';
import { Queue, type Slot } from '../../../../nodes/Aquaculture/limit/queue';
import {
	checkCredentialSettings,
	type CredentialSettings,
} from '../../../../nodes/Aquaculture/login/credentialSettings';
import type { AccessToken } from '../../../../nodes/Aquaculture/login/tokenSource';
import { MINUTE_MS } from '../../../../nodes/Aquaculture/utils/time';
import { flushPromises } from '../../../../testbed/simulation/virtualClock';

/** What an HTTP Request node asks for, with the credential of an account of its own that has a token. */
async function request(username: string, accessToken = '') {
	const credential = {
		baseUrl: 'https://data.example.com',
		username,
		password: 'password',
		versionHeader: 'Service-Version',
		tokenVersion: '2025-01-01',
		dataVersion: '2023-01-01',
		requestsPerMinute: 10,
		accessToken,
	};
	const account = getAccount(checkCredentialSettings(credential).value as CredentialSettings);
	const token: AccessToken = { value: 'first', issuedAt: Date.now() };
	await account.tokens.joinLogin(async () => await Promise.resolve({ value: token }));
	const body = JSON.stringify({ access_token: 'second' });
	const answer = { statusCode: 200, headers: {}, body: Readable.from([Buffer.from(body)]) };
	const httpRequest = jest.fn(async () => await Promise.resolve(answer));
	const helpers = { httpRequest } as unknown as IHttpRequestHelper['helpers'];
	return {
		account,
		token,
		httpRequest,
		preAuthenticate: async () => await preAuthenticate(helpers, credential),
		authenticate: (url = 'https://data.example.com/data/feed') => authenticate(credential, { url }),
		send: async (): Promise<Slot> => {
			const slot = await account.limiter.acquire({ queue: new Queue('execution', 10) });
			if (!slot) throw new Error('There is no slot');
			return slot;
		},
	};
}

it('a request of an HTTP Request node waits five minutes at most, and n8n shows why it failed', async () => {
	const { account, send, ...hooks } = await request('patient');
	account.limiter.reportRateLimited(await send(), 6 * MINUTE_MS);

	await expect(hooks.preAuthenticate()).rejects.toThrow(
		'The account has reached its request limit and may send again in 6 minutes',
	);
	await expect(hooks.preAuthenticate()).resolves.toEqual({});
});

it('a request whose token is invalidated while it waits is sent with the next one, and takes one slot', async () => {
	const { account, token, httpRequest, send, ...hooks } = await request('outdated');
	const slot = await send();
	const admitted = hooks.preAuthenticate();
	await flushPromises();

	expect(account.tokens.reportUnauthorized(token, '2023-01-01 /meta/sites/1', false)).toBe(0);
	account.limiter.reportAccepted(slot);
	await expect(admitted).resolves.toEqual({});

	expect(httpRequest).toHaveBeenCalledTimes(1);
	expect(hooks.authenticate().headers).toMatchObject({ Authorization: 'Bearer second' });
	// Of ten requests, one was sent before it, one logged in, and one is this.
	const others = Array.from({ length: 7 }, async () =>
		account.limiter.reportAccepted(await send()),
	);
	await expect(Promise.all(others)).resolves.toHaveLength(7);
	expect(account.limiter.delayMs(new Queue('execution', 10))).toBeGreaterThan(0);
});

it('a failed request gives n8n no token to send it again with', async () => {
	const { httpRequest, ...hooks } = await request('failed');
	await hooks.preAuthenticate();
	hooks.authenticate();

	await expect(hooks.preAuthenticate()).resolves.toEqual({});

	expect(httpRequest).not.toHaveBeenCalled();
});

it("n8n's newer helper does not send a request again after a 401", async () => {
	const hooks = await request('rejected');
	await hooks.preAuthenticate();
	hooks.authenticate();

	await expect(hooks.preAuthenticate()).resolves.toEqual({});

	expect(hooks.authenticate).toThrow('The service rejected the request (status 401)');
});

it('a request to another address fails with that reason, also when n8n asks again', async () => {
	const hooks = await request('elsewhere');
	await hooks.preAuthenticate();

	expect(() => hooks.authenticate('https://example.org/')).toThrow(
		'This credential is for https://data.example.com only',
	);
	await expect(hooks.preAuthenticate()).resolves.toEqual({});
});

it('a filled token is not sent: n8n has to ask for one, and stores an empty one', async () => {
	const hooks = await request('filled', 'from elsewhere');

	expect(hooks.authenticate).toThrow(expect.objectContaining({ response: { status: 401 } }));
	await expect(hooks.preAuthenticate()).resolves.toEqual({ accessToken: '' });
	expect(hooks.authenticate().headers).toMatchObject({ Authorization: 'Bearer first' });
});
