import { Readable } from 'node:stream';
import { Queue, type Slot } from '../../../../nodes/Aquaculture/limit/queue';
import { RateLimiter } from '../../../../nodes/Aquaculture/limit/rateLimiter';
import type { Account } from '../../../../nodes/Aquaculture/login/account';
import { logIn } from '../../../../nodes/Aquaculture/sending/logIn';
import type { SendHttpRequest } from '../../../../nodes/Aquaculture/sending/exchange';
import { HOUR_MS } from '../../../../nodes/Aquaculture/utils/time';
import { useFakeTime } from '../../../../testbed/engine/fakeTime';

const { settle } = useFakeTime();

it('says why it failed if there is no slot for another try', async () => {
	const limiter = new RateLimiter();
	const settings = {
		baseUrl: 'https://data.example.com',
		username: 'anne',
		requestsPerMinute: 100,
	};
	const other = (await limiter.acquire({ queue: new Queue('execution', 100) })) as Slot;
	let logins = 0;
	const httpRequest = (async () => {
		logins += 1;
		limiter.recordRefused(other, HOUR_MS);
		return await Promise.resolve({ statusCode: 503, headers: {}, body: Readable.from([]) });
	}) as unknown as SendHttpRequest;
	limiter.release(other);

	const { failure } = await settle(logIn(httpRequest, { settings, limiter } as Account));

	expect(failure?.message).toBe('The service could not answer the login (status 503)');
	expect(logins).toBe(1);
});
