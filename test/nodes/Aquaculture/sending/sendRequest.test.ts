import { Readable } from 'node:stream';
import { Queue } from '../../../../nodes/Aquaculture/limit/queue';
import { RateLimiter } from '../../../../nodes/Aquaculture/limit/rateLimiter';
import type { Account } from '../../../../nodes/Aquaculture/login/account';
import { TokenSource } from '../../../../nodes/Aquaculture/login/tokenSource';
import type { Client } from '../../../../nodes/Aquaculture/sending/client';
import { sendRequest } from '../../../../nodes/Aquaculture/sending/sendRequest';
import { siteDocument } from '../../../../nodes/Aquaculture/service/site';

const ORIGIN = 'https://data.example.com';

it('a request that n8n does not sign is a failure that says so, and its answer is not read', async () => {
	const body = Readable.from([Buffer.from('{"siteId":7}')]);
	const client: Client = {
		account: {
			settings: { origin: ORIGIN, baseUrl: ORIGIN, password: 'secret', versionHeader: 'V' },
			limiter: new RateLimiter(),
			tokens: new TokenSource(),
		} as unknown as Account,
		credential: { accessToken: '' },
		queue: new Queue('execution', 100),
		logIn: async () =>
			await Promise.resolve({ value: { value: 'eyJ0.eyJ1', replaceAt: Infinity } }),
		send: async () => await Promise.resolve({ statusCode: 200, headers: {}, body }),
	};
	const document = siteDocument({ siteId: 7, siteName: '' }, []);

	const { failure } = await sendRequest(client, document, 1000);

	expect(failure?.description).toBe(
		"n8n did not call 'authenticate' of the credential, so the request had no token.",
	);
	expect({ destroyed: body.destroyed }).toEqual({ destroyed: true });
});
