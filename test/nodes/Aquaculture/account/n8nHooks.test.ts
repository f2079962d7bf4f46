import { Readable } from 'node:stream';
import type { IHttpRequestHelper } from 'n8n-workflow';
import { accountOf } from '../../../../nodes/Aquaculture/account/account';
import { admit, sign } from '../../../../nodes/Aquaculture/account/n8nHooks';
import { Queue, type Slot } from '../../../../nodes/Aquaculture/account/rateLimiter';
import { checkSettings, type Settings } from '../../../../nodes/Aquaculture/account/settings';
import type { AccessToken } from '../../../../nodes/Aquaculture/account/tokenSource';
import { MINUTE_MS } from '../../../../nodes/Aquaculture/messages/duration';
import { settled } from '../../../../testbed/simulation/virtualClock';

/** What an HTTP Request node asks for, with the credential of an account of its own that has a token. */
async function request(username: string) {
	const credential = {
		baseUrl: 'https://data.example.com',
		username,
		password: 'password',
		versionHeader: 'Service-Version',
		tokenVersion: '2025-01-01',
		dataVersion: '2023-01-01',
		requestsPerMinute: 10,
		accessToken: '',
	};
	const account = accountOf(checkSettings(credential).value as Settings);
	const token: AccessToken = { value: 'first', issuedAt: Date.now() };
	await account.tokens.logIn(async () => await Promise.resolve({ value: token }));
	const body = JSON.stringify({ access_token: 'second' });
	const answer = { statusCode: 200, headers: {}, body: Readable.from([Buffer.from(body)]) };
	const httpRequest = jest.fn(async () => await Promise.resolve(answer));
	const helpers = { httpRequest } as unknown as IHttpRequestHelper['helpers'];
	return {
		account,
		token,
		httpRequest,
		admit: async () => await admit(helpers, credential),
		sign: () => sign(credential, { url: 'https://data.example.com/data/feed' }),
		send: async (): Promise<Slot> => {
			const slot = await account.limiter.acquire({ queue: new Queue('execution', 10) });
			if (!slot) throw new Error('There is no slot');
			return slot;
		},
	};
}

it('a request of an HTTP Request node waits five minutes at most, and fails the same way if n8n asks again', async () => {
	const { account, admit: admitIt, send } = await request('patient');
	account.limiter.reportRateLimited(await send(), 6 * MINUTE_MS);
	const said = 'The account has reached its request limit and may send again in 6 minutes';

	await expect(admitIt()).rejects.toThrow(said);
	await expect(admitIt()).rejects.toThrow(said);
});

it('a request whose token is invalidated while it waits is sent with the next one, and takes one slot', async () => {
	const {
		account,
		token,
		httpRequest,
		admit: admitIt,
		sign: signIt,
		send,
	} = await request('outdated');
	const slot = await send();
	const admission = admitIt();
	await settled();

	expect(account.tokens.reportUnauthorized(token)).toBe(0);
	account.limiter.reportAccepted(slot);
	await expect(admission).resolves.toEqual({});

	expect(httpRequest).toHaveBeenCalledTimes(1);
	expect(signIt().headers).toMatchObject({ Authorization: 'Bearer second' });
	// Of ten requests, one was sent before it, one logged in, and one is this.
	const others = Array.from({ length: 7 }, async () =>
		account.limiter.reportAccepted(await send()),
	);
	await expect(Promise.all(others)).resolves.toHaveLength(7);
	expect(account.limiter.delayMs(new Queue('execution', 10))).toBeGreaterThan(0);
});

it('a request that n8n signs again after a 401 is not sent again with the same token and slot', async () => {
	const { admit: admitIt, sign: signIt } = await request('rejected');
	await admitIt();
	signIt();

	await expect(admitIt()).resolves.toEqual({});

	expect(signIt).toThrow('The service does not let this account read this address');
});
