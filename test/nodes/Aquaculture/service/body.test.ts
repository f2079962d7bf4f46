import { parseBody } from '../../../../nodes/Aquaculture/service/body';

const parse = (bytes: string | Uint8Array) => parseBody(Buffer.from(bytes));

describe('parseBody', () => {
	it.each([
		['', 'empty'],
		[' \r\n', 'empty'],
		[' <!DOCTYPE html>', 'html'],
		['{"a":', 'malformed'],
		['siteId=1', 'malformed'],
		...[101, 100_000].map((levels) => ['['.repeat(levels) + ']'.repeat(levels), 'malformed']),
	])('classifies the body %j as %s', (text, parseError) => {
		expect(parse(text)).toEqual({ text, parseError });
	});

	it('accepts JSON of 100 levels', () => {
		expect(parse('['.repeat(100) + ']'.repeat(100)).parseError).toBeUndefined();
	});

	it('reads UTF-8 with or without a byte order mark, and no other charset', () => {
		const text = '{"siteName":"Storvågen"}';
		const json = { siteName: 'Storvågen' };
		const latin1 = (body: string) => Buffer.from(body, 'latin1');

		expect(parse(text)).toEqual({ text, json });
		expect(parse(`\ufeff${text}`)).toEqual({ text, json });
		expect(parse(latin1(text))).toEqual({
			text: text.replace('å', '\ufffd'),
			parseError: 'malformed',
		});
		expect(parse(latin1('<p>Storv\xe5gen'))).toMatchObject({ parseError: 'html' });
	});
});
