import { Readable } from 'node:stream';
import fc from '../../../fixedSeed';
import { Queue, type Slot } from '../../../../nodes/Aquaculture/limit/queue';
import { RateLimiter } from '../../../../nodes/Aquaculture/limit/rateLimiter';
import {
	MAX_BODY_BYTES,
	receiveAnswer,
	type StreamedResponse,
} from '../../../../nodes/Aquaculture/sending/receiveAnswer';
import { documentSubject } from '../../../../nodes/Aquaculture/messages/failure';

const settings = { username: 'anne', origin: 'https://data.example.com' };

async function receive(
	body: Readable,
	{ statusCode = 200, signal = new AbortController().signal } = {},
) {
	const limiter = new RateLimiter();
	const slot = (await limiter.acquire({ queue: new Queue('login', 100) })) as Slot;
	const response: StreamedResponse = { statusCode, headers: {}, body };
	return {
		limiter,
		slot,
		answer: receiveAnswer(response, { limiter, settings }, slot, {
			subject: documentSubject('site 7'),
			timeoutMs: 1000,
			endSignal: signal,
		}),
	};
}
const bodyOf = async (stream: Readable) => (await (await receive(stream)).answer).body;

describe('receiveAnswer', () => {
	it('reads JSON in chunks of any size', async () => {
		await fc.assert(
			fc.asyncProperty(fc.jsonValue(), fc.array(fc.nat(50)), async (json, cuts) => {
				const whole = Buffer.from(JSON.stringify(json));
				const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
				const parts = places.slice(1).map((end, index) => whole.subarray(places[index], end));

				const { value } = await bodyOf(Readable.from(parts, { objectMode: false }));

				expect(value).toEqual({ text: whole.toString(), json: JSON.parse(whole.toString()) });
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
			failure: { message: 'The answer for site 7 is larger than 16 MB' },
		});
		expect(stream.destroyed).toBe(true);
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
				kind: 'transient',
			},
		});
	});

	it.each([200, 401, 429, 503])(
		'destroys the body of an answer with status %d when the time is over',
		async (statusCode) => {
			const stream = new Readable({ read: () => {} });
			const time = new AbortController();
			const { answer, slot, limiter } = await receive(stream, { statusCode, signal: time.signal });
			// The limiter knows the status before the body.
			limiter.release(slot);
			expect(limiter.describeLimit(slot.queue, 100).delayMs).toBeGreaterThan(0);

			time.abort();

			await expect(answer).resolves.toMatchObject({
				statusCode,
				body: { failure: { message: 'Site 7 took longer than 1 second', kind: 'timedOut' } },
			});
			expect(stream.destroyed).toBe(true);
		},
	);

	it.each([401, 429, 503])(
		'reads the body of an answer with status %d to its end, which frees the connection',
		async (statusCode) => {
			const stream = Readable.from([Buffer.from('{}')]);
			const { answer } = await receive(stream, { statusCode });
			await answer;

			expect(stream.readableEnded).toBe(true);
		},
	);
});
