import { Readable } from 'node:stream';
import fc from '../../../fixedSeed';
import {
	BodyTooLargeError,
	MAX_BODY_BYTES,
	readBody,
} from '../../../../nodes/Aquaculture/service/body';

const read = async (bytes: string | Uint8Array) =>
	await readBody(Readable.from([Buffer.from(bytes)]));

describe('readBody', () => {
	it('reads JSON in chunks of any size', async () => {
		await fc.assert(
			fc.asyncProperty(fc.jsonValue(), fc.array(fc.nat(50)), async (json, cuts) => {
				const whole = Buffer.from(JSON.stringify(json));
				const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
				const parts = places.slice(1).map((end, index) => whole.subarray(places[index], end));

				const body = await readBody(Readable.from(parts, { objectMode: false }));

				expect(body).toEqual({ text: whole.toString(), json: JSON.parse(whole.toString()) });
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

		await expect(readBody(Readable.from([half, half]))).resolves.toMatchObject({
			parseError: 'empty',
		});
		await expect(readBody(stream)).rejects.toThrow(BodyTooLargeError);
		expect(stream.destroyed).toBe(true);
		expect(chunks).toBeLessThan(10);
	});

	it.each([new Error('cut off'), undefined])(
		'rejects a body that ends early (%p)',
		async (error) => {
			const stream = new Readable({ read: () => {} });
			stream.push('{"siteId":');
			const reading = readBody(stream);
			stream.destroy(error);

			await expect(reading).rejects.toThrow(/cut off|Premature close/);
		},
	);

	it.each([
		['', 'empty'],
		[' \r\n', 'empty'],
		[' <!DOCTYPE html>', 'html'],
		['{"a":', 'malformed'],
		['siteId=1', 'malformed'],
		[`${'['.repeat(101)}${']'.repeat(101)}`, 'tooDeep'],
		[`${'['.repeat(5000)}${']'.repeat(5000)}`, 'tooDeep'],
	])('classifies the body %.20j as %s', async (text, parseError) => {
		await expect(read(text)).resolves.toEqual({ text, parseError });
	});

	it('accepts JSON of 100 levels', async () => {
		const { parseError } = await read(`${'['.repeat(100)}${']'.repeat(100)}`);

		expect(parseError).toBeUndefined();
	});

	it('reads UTF-8 with or without a byte order mark, and no other charset', async () => {
		const text = '{"siteName":"Storvågen"}';
		const json = { siteName: 'Storvågen' };
		const latin1 = (body: string) => Buffer.from(body, 'latin1');

		await expect(read(text)).resolves.toEqual({ text, json });
		await expect(read(`\ufeff${text}`)).resolves.toEqual({ text, json });
		await expect(read(latin1(text))).resolves.toEqual({
			text: text.replace('å', '\ufffd'),
			parseError: 'notUtf8',
		});
		await expect(read(latin1('<p>Storv\xe5gen'))).resolves.toMatchObject({ parseError: 'html' });
	});
});
