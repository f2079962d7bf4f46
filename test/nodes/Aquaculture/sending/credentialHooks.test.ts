import { Readable } from 'node:stream';
import type { IHttpRequestHelper } from 'n8n-workflow';
import { getAccount, type Account } from '../../../../nodes/Aquaculture/login/account';
import {
	authenticate,
	preAuthenticate,
} from '../../../../nodes/Aquaculture/sending/credentialHooks';
import { Queue, type Slot } from '../../../../nodes/Aquaculture/limit/queue';
import {
	checkCredentialSettings,
	type CredentialSettings,
} from '../../../../nodes/Aquaculture/input/credentialSettings';
import type { AccessToken } from '../../../../nodes/Aquaculture/service/token';
import { MINUTE_MS } from '../../../../nodes/Aquaculture/utils/time';
import { useFakeTime } from '../../../../testbed/engine/fakeTime';
import { flushPromises } from '../../../../testbed/simulation/virtualClock';

const succeedWith = (token: AccessToken) => async () => await Promise.resolve({ value: token });

/** Sets up a request of an HTTP Request node with an account that has a token. */
async function request(username: string, requestsPerMinute = 10) {
	const credential = {
		baseUrl: 'https://data.example.com',
		username,
		password: 'password',
		versionHeader: 'Service-Version',
		tokenVersion: '2025-01-01',
		dataVersion: '2023-01-01',
		requestsPerMinute,
		accessToken: '',
	};
	const account = getAccount(checkCredentialSettings(credential).value as CredentialSettings);
	const token: AccessToken = { value: 'first', replaceAt: Infinity };
	await account.tokens.acquire(succeedWith(token));
	const body = JSON.stringify({ access_token: 'second' });
	const answer = { statusCode: 200, headers: {}, body: Readable.from([Buffer.from(body)]) };
	const httpRequest = async () => await Promise.resolve(answer);
	const helpers = { httpRequest } as unknown as IHttpRequestHelper['helpers'];
	return {
		account,
		token,
		preAuthenticate: async () => await preAuthenticate(helpers, credential),
		authenticate: (url = 'https://data.example.com/data/feed') => authenticate(credential, { url }),
		send: async (): Promise<Slot> => {
			const slot = await account.limiter.acquire({
				queue: new Queue('execution', requestsPerMinute),
			});
			if (!slot) throw new Error('There is no slot');
			return slot;
		},
		/** Sends as many requests as have a slot now, and returns their number. */
		sendAll: async (): Promise<number> => {
			for (let sent = 0; ; sent++) {
				const wait = new AbortController();
				const queue = new Queue('execution', requestsPerMinute);
				const slot = account.limiter.acquire({ queue, signal: wait.signal });
				await flushPromises();
				wait.abort();
				if (!(await slot)) return sent;
			}
		},
	};
}

describe('a request of an HTTP Request node', () => {
	it('fails if the wait would exceed five minutes', async () => {
		const { account, send, ...hooks } = await request('patient');
		account.limiter.recordRefused(await send(), 6 * MINUTE_MS);

		await expect(hooks.preAuthenticate()).rejects.toThrow(
			'The account has reached its request limit and may send again in 6 minutes',
		);
		await expect(hooks.preAuthenticate()).resolves.toEqual({});
	});

	const SECOND: AccessToken = { value: 'second', replaceAt: Infinity };
	it.each<[string, (account: Account, token: AccessToken) => unknown]>([
		['another login brings one', async ({ tokens }) => await tokens.testLogin(succeedWith(SECOND))],
		['another request fails', ({ tokens }, token) => tokens.renew(token, succeedWith(SECOND))],
	])('is sent with a new token if %s while it waits', async (_what, happen) => {
		const { account, token, send, ...hooks } = await request(_what);
		const slot = await send();
		const admitted = hooks.preAuthenticate();
		await flushPromises();

		await happen(account, token);
		account.limiter.recordAllowed(slot);
		await expect(admitted).resolves.toEqual({});

		expect(hooks.authenticate().headers).toMatchObject({ Authorization: 'Bearer second' });
	});

	it('counts neither as accepted nor as in flight once it has failed', async () => {
		const { sendAll, ...hooks } = await request('unaccepted', 100);
		await hooks.preAuthenticate();
		hooks.authenticate();

		await hooks.preAuthenticate();

		// Slow start: one more may be in flight than were accepted in the last minute. These are the login that the failure causes.
		expect(await sendAll()).toBe(2);
	});

	it('is refused at another address, and gives back its slot', async () => {
		const { account, token, sendAll, ...hooks } = await request('elsewhere', 1);
		await hooks.preAuthenticate();

		expect(() => hooks.authenticate('https://example.com')).toThrow(
			'The request goes to an address that this credential is not for',
		);
		await hooks.preAuthenticate();
		expect(account.tokens.current).toEqual(token);
		expect(await sendAll()).toBe(1);
	});

	it('is signed once for its slot', async () => {
		const hooks = await request('twice');

		await hooks.preAuthenticate();
		hooks.authenticate();
		await hooks.preAuthenticate();
		expect(() => hooks.authenticate()).toThrow('The service rejected the request (status 401)');
	});

	describe('as time passes', () => {
		const { advance } = useFakeTime();

		it('counts as accepted two seconds after it was sent', async () => {
			const { sendAll, ...hooks } = await request('unseen', 100);
			await hooks.preAuthenticate();
			hooks.authenticate();
			expect(await sendAll()).toBe(0);

			await advance(2000);

			expect(await sendAll()).toBe(2);
		});
	});
});
