import { parseBody, readServiceMessage } from '../../../../nodes/Aquaculture/service/body';
import { fullDescription } from '../../../../nodes/Aquaculture/messages/failure';
import { redactor } from '../../../../nodes/Aquaculture/service/redact';

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

const redact = redactor(['s3cret  pass']);

describe('the description of a failure', () => {
	it.each<[string, unknown, string]>([
		[
			'with its trace ID',
			{ code: 'not_unique', message: 'Not unique.', traceId: '00-49b5', error_description: 'No' },
			'\nThe service says: "Not unique."\nTrace ID for the operator: 00-49b5.',
		],
		[
			'in the form of OpenID Connect',
			{ error: 'invalid_grant', error_description: 'Account disabled' },
			'\nThe service says: "Account disabled".',
		],
		['or else its error', { error: 'invalid_grant' }, '\nThe service says: "invalid_grant".'],
		['or else its code', { code: 'gone', message: ' ' }, '\nThe service says: "gone".'],
		['on one line', { message: '  Not\r\n\tunique ' }, '\nThe service says: "Not unique".'],
		[
			'cut to a readable length, but not within a character',
			{ message: `${'m'.repeat(298)}🐟🐟`, traceId: 't'.repeat(101) },
			`\nThe service says: "${'m'.repeat(298)}…"\nTrace ID for the operator: ${'t'.repeat(99)}….`,
		],
		[
			'without a text that repeats a secret, also where it is cut',
			{ message: `${'m'.repeat(295)}s3cret  pass`, traceId: '4bf92f' },
			'\nThe service says: "*****".\nTrace ID for the operator: 4bf92f.',
		],
	])('has the words of the service %s', (_what, body, told) => {
		const text = { description: 'Do this.', note: 'Or that.', ...readServiceMessage(body, redact) };

		expect(fullDescription(text)).toBe(`Do this.\nOr that.${told}`);
	});

	it.each<unknown>([
		...[undefined, null, 'Not unique', 7, [], ['Not unique'], {}],
		{ code: 7, message: { text: 'Not unique' }, traceId: null },
		{ error: { message: 'Not unique' } },
	])('has no words of the service with the body %j', (body) => {
		const text = { description: 'Do this.', ...readServiceMessage(body, redact) };

		expect(fullDescription(text)).toBe('Do this.');
	});
});
