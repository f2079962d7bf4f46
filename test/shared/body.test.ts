import { Readable } from 'node:stream';
import fc from 'fast-check';
import { BodyTooLargeError, MAX_BODY_BYTES, MAX_LEVELS, readBody } from '../../shared/body';

const reading = async (bytes: Uint8Array, contentType?: unknown) =>
	await readBody(Readable.from([bytes]), contentType);

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
])('readBody throws where the stream %s, before or while it is read', async (_, end) => {
	const begun = new Readable({ read: () => {} });
	begun.push('{"siteId":');
	const reading = readBody(begun);
	end(begun);
	await expect(reading).rejects.toThrow(/cut off|closed before its end/);

	const over = new Readable({ read: () => {} });
	over.on('error', () => {});
	end(over);
	await expect(readBody(over)).rejects.toThrow(/cut off|closed before its end/);
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

describe('a charset', () => {
	const TEXT = '{"siteName":"Storvågen"}';
	const LOST = TEXT.replace('å', '\ufffd');
	const JSON_TYPE = 'application/json';
	const [utf16, latin1] = [Buffer.from(TEXT, 'utf16le'), Buffer.from(TEXT, 'latin1')];
	const bigEndian = Buffer.from(utf16).swap16();
	const withMark = (mark: string, bytes: Uint8Array) =>
		Buffer.concat([Buffer.from(mark, 'hex'), bytes]);

	it.each<[unknown, Uint8Array]>([
		[undefined, Buffer.from(TEXT)],
		[['application/json'], Buffer.from(TEXT)],
		[JSON_TYPE, Buffer.from(TEXT)],
		[`${JSON_TYPE}; charset=utf-8`, Buffer.from(TEXT)],
		[`${JSON_TYPE};charset=UTF8`, Buffer.from(TEXT)],
		[`${JSON_TYPE}; charset=`, Buffer.from(TEXT)],
		[JSON_TYPE, withMark('efbbbf', Buffer.from(TEXT))],
		[`${JSON_TYPE}; charset=iso-8859-1`, latin1],
		[`${JSON_TYPE}; profile=x; Charset="ISO-8859-1"; version=1`, latin1],
		[`${JSON_TYPE}; charset='windows-1252'`, latin1],
		[`${JSON_TYPE}; charset=iso-8859-1`, withMark('efbbbf', Buffer.from(TEXT))],
		[`${JSON_TYPE}; charset=utf-16`, utf16],
		[`${JSON_TYPE}; charset=utf-16`, withMark('fffe', utf16)],
		[`${JSON_TYPE}; charset=utf-16`, withMark('feff', bigEndian)],
		[`${JSON_TYPE}; charset=utf-16be`, bigEndian],
		[JSON_TYPE, withMark('feff', bigEndian)],
		[JSON_TYPE, withMark('fffe', utf16)],
	])('a charset of %j is read', async (contentType, bytes) => {
		await expect(reading(bytes, contentType)).resolves.toEqual({
			text: TEXT,
			json: { siteName: 'Storvågen' },
		});
	});

	it.each<[string | undefined, Uint8Array, string, string]>([
		[undefined, latin1, LOST, 'notUtf8'],
		[JSON_TYPE, latin1, LOST, 'notUtf8'],
		[`${JSON_TYPE}; charset=utf-8`, latin1, LOST, 'notUtf8'],
		[`${JSON_TYPE}; charset=utf-32`, Buffer.from(TEXT), TEXT, 'charset'],
		[`${JSON_TYPE}; charset=klingon`, latin1, LOST, 'charset'],
		[`${JSON_TYPE}; charset=shift_jis`, Buffer.from('"\xfd"', 'latin1'), '"\ufffd"', 'charset'],
	])(
		'a charset of %j that is not that of the bytes is a fault',
		async (contentType, bytes, text, fault) => {
			await expect(reading(bytes, contentType)).resolves.toEqual({ text, fault });
		},
	);

	it.each<[string, unknown, string]>([
		['<p>Storv\xe5gen', 'text/html', 'html'],
		['<p>Storv\xe5gen', 'text/html; charset=klingon', 'html'],
		[' ', 'text/html; charset=klingon', 'empty'],
	])('a charset does not matter to %j with %j', async (text, contentType, fault) => {
		await expect(reading(Buffer.from(text, 'latin1'), contentType)).resolves.toMatchObject({
			fault,
		});
	});
});

describe('nesting', () => {
	const nested = (levels: number) => `${'{"a":['.repeat(levels / 2)}${']}'.repeat(levels / 2)}`;

	it.each([
		['lists', '['.repeat(MAX_LEVELS + 1) + ']'.repeat(MAX_LEVELS + 1)],
		['objects', '{"a":'.repeat(MAX_LEVELS + 1) + '1' + '}'.repeat(MAX_LEVELS + 1)],
		['both', `[${nested(MAX_LEVELS)}]`],
		['many levels', nested(10_000)],
		['levels that are never closed', '['.repeat(1_000_000)],
		['levels after a text that ends in a backslash', `["\\\\",${nested(MAX_LEVELS)}]`],
	])('nesting beyond that is a fault: %s', async (_, text) => {
		await expect(reading(Buffer.from(text))).resolves.toEqual({ text, fault: 'nested' });
	});

	it('nesting is not what a text holds, nor what stands side by side', async () => {
		const brackets = '[{'.repeat(200);
		const json = { [brackets]: `"\\${brackets}\\"`, list: Array.from({ length: 500 }, () => [{}]) };

		await expect(reading(Buffer.from(JSON.stringify(json)))).resolves.toMatchObject({ json });
	});

	it('nesting is judged as exactly as by the parser', async () => {
		const levelsOf = (json: unknown): number =>
			typeof json === 'object' && json !== null
				? 1 + Math.max(0, ...Object.values(json).map(levelsOf))
				: 0;
		await fc.assert(
			fc.asyncProperty(fc.jsonValue({ noUnicodeString: false }), async (json) => {
				const around = MAX_LEVELS - levelsOf(json);
				const text = (levels: number) =>
					'['.repeat(levels) + JSON.stringify(json) + ']'.repeat(levels);
				fc.pre(around >= 0);

				expect((await reading(Buffer.from(text(around)))).fault).toBeUndefined();
				expect((await reading(Buffer.from(text(around + 1)))).fault).toBe('nested');
			}),
		);
	});
});
