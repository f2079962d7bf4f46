import fc from 'fast-check';
import { BodyTooLargeError, MAX_BODY_BYTES, parseBody, readBody } from '../../api/body';

async function* chunks(...parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
	yield* parts;
}

describe('readBody', () => {
	it('reads JSON however it is cut into chunks', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.jsonValue({ noUnicodeString: false }),
				fc.array(fc.nat(50)),
				async (json, cuts) => {
					const whole = Buffer.from(JSON.stringify(json));
					const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
					const parts = places.slice(1).map((end, index) => whole.subarray(places[index], end));

					const body = await readBody(chunks(...parts));

					expect(body).toEqual({ text: whole.toString(), json: JSON.parse(whole.toString()) });
				},
			),
		);
	});

	it('ends as soon as the body is too large, and ends the stream', async () => {
		let yielded = 0;
		let isEnded = false;
		async function* endless(): AsyncGenerator<Uint8Array> {
			try {
				for (;;) {
					yielded += 1;
					yield new Uint8Array(MAX_BODY_BYTES / 4);
				}
			} finally {
				isEnded = true;
			}
		}

		await expect(readBody(endless())).rejects.toThrow(BodyTooLargeError);
		expect([yielded, isEnded]).toEqual([5, true]);
	});
});

describe('parseBody', () => {
	it.each([
		['', 'empty'],
		[' \r\n', 'empty'],
		['<html>', 'html'],
		[' <!DOCTYPE html>', 'html'],
		['{"a":', 'malformed'],
		['siteId=1', 'malformed'],
	])('finds that %j is %s', (text, fault) => {
		expect(parseBody(text)).toEqual({ text, fault });
	});
});
