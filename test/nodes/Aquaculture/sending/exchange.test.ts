import { Readable } from 'node:stream';
import fc from '../../../fixedSeed';
import { Queue, type Slot } from '../../../../nodes/Aquaculture/limit/queue';
import { RateLimiter } from '../../../../nodes/Aquaculture/limit/rateLimiter';
import { exchange, type StreamedResponse } from '../../../../nodes/Aquaculture/sending/exchange';
import { MAX_BODY_BYTES } from '../../../../nodes/Aquaculture/service/body';
import { documentSubject } from '../../../../nodes/Aquaculture/messages/failure';
import { flushPromises } from '../../../../testbed/simulation/virtualClock';

const TIMED_OUT = 'Site 7 took longer than 1 second';
const settings = { username: 'anne', origin: 'https://data.example.com' };

/** Sends a request with a helper that answers so. */
async function receive(
	response: Partial<StreamedResponse> | Error | 'never',
	signal = new AbortController().signal,
	/** Aborted before the response comes. */
	abort?: AbortController,
) {
	const limiter = new RateLimiter();
	const slot = (await limiter.acquire({ queue: new Queue('login', 100) })) as Slot;
	const helper = async () => {
		if (response === 'never') return await new Promise<never>(() => undefined);
		if (response instanceof Error) throw response;
		abort?.abort();
		return await Promise.resolve({ statusCode: 200, headers: {}, ...response } as StreamedResponse);
	};
	const outcome = exchange({ limiter, settings }, slot, {
		subject: documentSubject('site 7'),
		timeoutMs: 1000,
		signal,
		send: helper,
		secrets: [],
	});
	return { limiter, slot, outcome };
}
/** A slot that is released no longer counts, unless its request has ended: then it counts for a minute. */
const expectEnded = (limiter: RateLimiter, slot: Slot) => {
	limiter.release(slot);
	expect(limiter.describeLimit(slot.queue, 100).delayMs).toBeGreaterThan(0);
};
const bodyOf = async (stream: Readable) =>
	(await (await receive({ body: stream })).outcome).value?.body;

describe('an exchange', () => {
	it('reads JSON in chunks of any size', async () => {
		await fc.assert(
			fc.asyncProperty(fc.jsonValue(), fc.array(fc.nat(50)), async (json, cuts) => {
				const whole = Buffer.from(JSON.stringify(json));
				const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
				const parts = places.slice(1).map((end, index) => whole.subarray(places[index], end));

				const body = await bodyOf(Readable.from(parts, { objectMode: false }));

				expect(body?.value).toEqual({ text: whole.toString(), json: JSON.parse(whole.toString()) });
			}),
		);
	});

	it('reads a body of the maximum size, and stops reading a larger one', async () => {
		const half = Buffer.alloc(MAX_BODY_BYTES / 2, ' ');
		let chunks = 0;
		function* endless(): Generator<Uint8Array> {
			for (;;) {
				chunks += 1;
				yield half;
			}
		}
		const stream = Readable.from(endless(), { objectMode: false });

		await expect(bodyOf(Readable.from([half, half]))).resolves.toMatchObject({
			value: { parseError: 'empty' },
		});
		await expect(bodyOf(stream)).resolves.toMatchObject({
			failure: { message: 'The answer for site 7 is larger than 4 MB' },
		});
		expect({ destroyed: stream.destroyed }).toEqual({ destroyed: true });
		expect(chunks).toBeLessThan(10);
	});

	it.each([
		[undefined, 'ERR_STREAM_PREMATURE_CLOSE'],
		[new Error('cut off'), 'ECONNRESET'],
		[Object.assign(new Error('cut off'), { code: 'EPIPE' }), 'EPIPE'],
	])('says that a body ended early (%p) and why', async (error, code) => {
		const stream = new Readable({ read: () => {} });
		stream.push('{"siteId":');
		const body = bodyOf(stream);
		stream.destroy(error);

		await expect(body).resolves.toMatchObject({
			failure: {
				message: `The connection to the service was lost (${code}), so site 7 was not read`,
				isTransient: true,
			},
		});
	});

	it.each([200, 401, 429, 503])('destroys a late body with status %d', async (statusCode) => {
		const stream = new Readable({ read: () => {} });
		const time = new AbortController();
		const { outcome, slot, limiter } = await receive({ statusCode, body: stream }, time.signal);
		// The limiter knows the status before the body.
		await flushPromises();
		expectEnded(limiter, slot);

		time.abort();

		await expect(outcome).resolves.toMatchObject({
			value: { statusCode, body: { failure: { message: TIMED_OUT, isTransient: true } } },
		});
		expect({ destroyed: stream.destroyed }).toEqual({ destroyed: true });
	});

	it('destroys a response that comes too late, because the helper ignores the signal', async () => {
		const stream = new Readable({ read: () => {} });
		const time = new AbortController();
		const { outcome } = await receive({ body: stream }, AbortSignal.any([time.signal]), time);

		await expect(outcome).resolves.toMatchObject({ failure: { message: TIMED_OUT } });
		await flushPromises();
		expect({ destroyed: stream.destroyed }).toEqual({ destroyed: true });
	});

	it.each<[string, Error | 'never', string]>([
		['n8n does not send', new Error('blocked'), 'n8n did not send the request for site 7'],
		['is never answered, whatever the helper does', 'never', TIMED_OUT],
	])('ends the slot of a request that %s', async (_what, response, message) => {
		const time = new AbortController();
		const { outcome, slot, limiter } = await receive(response, time.signal);
		await flushPromises();
		time.abort();

		await expect(outcome).resolves.toMatchObject({ failure: { message } });
		expectEnded(limiter, slot);
	});

	it.each([401, 429, 503])('reads a body with status %d to its end', async (statusCode) => {
		const stream = Readable.from([Buffer.from('{}')]);
		const { outcome } = await receive({ statusCode, body: stream });
		await outcome;

		expect({ readToItsEnd: stream.readableEnded }).toEqual({ readToItsEnd: true });
	});
});
