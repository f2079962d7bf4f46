import { Readable } from 'node:stream';
import fc from 'fast-check';
import { BodyTooLargeError, MAX_BODY_BYTES, readBody } from '../../service/body';

const reading = async (bytes: Uint8Array) => await readBody(Readable.from([bytes]));

it('readBody reads JSON however it is cut into chunks', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.jsonValue({ noUnicodeString: false }),
			fc.array(fc.nat(50)),
			async (json, cuts) => {
				const whole = Buffer.from(JSON.stringify(json));
				const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
				const parts = places.slice(1).map((end, index) => whole.subarray(places[index], end));

				const body = await readBody(Readable.from(parts, { objectMode: false }));

				expect(body).toEqual({ text: whole.toString(), json: JSON.parse(whole.toString()) });
			},
		),
	);
});

it('readBody reads a body of the largest size, and ends as soon as it is larger', async () => {
	const half = Buffer.alloc(MAX_BODY_BYTES / 2, ' ');
	let yielded = 0;
	function* endless(): Generator<Uint8Array> {
		for (;;) {
			yielded += 1;
			yield half;
		}
	}
	const stream = Readable.from(endless(), { objectMode: false });

	await expect(readBody(Readable.from([half, half]))).resolves.toMatchObject({ fault: 'empty' });
	await expect(readBody(stream)).rejects.toThrow(BodyTooLargeError);
	expect(stream.destroyed).toBe(true);
	expect(yielded).toBeLessThan(10);
});

it.each<[string, (stream: Readable) => unknown]>([
	['fails', (stream) => stream.destroy(new Error('cut off'))],
	['is closed before its end', (stream) => stream.destroy()],
])('readBody throws where the stream %s while it is read', async (_, end) => {
	const stream = new Readable({ read: () => {} });
	stream.push('{"siteId":');
	const reading = readBody(stream);
	end(stream);

	await expect(reading).rejects.toThrow(/cut off|Premature close/);
});

it.each([
	['', 'empty'],
	[' \r\n', 'empty'],
	['<html>', 'html'],
	[' <!DOCTYPE html>', 'html'],
	['{"a":', 'malformed'],
	['siteId=1', 'malformed'],
])('readBody finds that %j is %s', async (text, fault) => {
	await expect(readBody(Readable.from([Buffer.from(text)]))).resolves.toEqual({ text, fault });
});

describe('the text of a body', () => {
	const TEXT = '{"siteName":"Storvågen"}';

	it.each([
		['without a byte order mark', Buffer.from(TEXT)],
		['with one', Buffer.concat([Buffer.from('efbbbf', 'hex'), Buffer.from(TEXT)])],
	])('the text of a body is read as UTF-8 %s', async (_, bytes) => {
		const body = { text: TEXT, json: { siteName: 'Storvågen' } };

		await expect(reading(bytes)).resolves.toEqual(body);
	});

	it('the text of a body that is not UTF-8 is a fault, since letters would be lost', async () => {
		const text = TEXT.replace('å', '\ufffd');

		await expect(reading(Buffer.from(TEXT, 'latin1'))).resolves.toEqual({ text, fault: 'notUtf8' });
	});

	it.each([
		['<p>Storv\xe5gen', 'html'],
		[' ', 'empty'],
	])('UTF-8 does not matter to the text of a body such as %j', async (text, fault) => {
		await expect(reading(Buffer.from(text, 'latin1'))).resolves.toMatchObject({ fault });
	});
});
