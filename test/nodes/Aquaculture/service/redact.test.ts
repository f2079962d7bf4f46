import fc from '../../../fixedSeed';
import { redactJson, redactor } from '../../../../nodes/Aquaculture/service/redact';

describe('redaction', () => {
	it('masks a secret in any encoding', () => {
		const around = fc.string({ unit: fc.constantFrom(...'abc ,:{}') });
		const secret = fc.string({ unit: fc.constantFrom(...'XYZ$&."\\(ø%'), minLength: 3 });
		const spellings = fc.constantFrom<(text: string) => string>(
			(text) => text,
			(text) => JSON.stringify(text).slice(1, -1),
			encodeURIComponent,
			(text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
			(text) => text.replace(/[^a-z]/gi, (character) => `&#${character.codePointAt(0)};`),
			(text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
			(text) => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1),
			(text) =>
				text.replace(
					/[^a-z]/gi,
					(character) => `\\u00${character.charCodeAt(0).toString(16).toUpperCase()}`,
				),
			(text) => Buffer.from(text).toString('base64'),
		);
		fc.assert(
			fc.property(around, secret, spellings, around, (before, hidden, spell, after) => {
				expect(redactor([hidden])(`${before}${spell(hidden)}${after}`)).toBe(
					`${before}*****${after}`,
				);
			}),
		);
	});

	it.each<[string, unknown[], string, string]>([
		[
			'two secrets, each more than once',
			['s3cret', 't0ken'],
			's3cret t0ken s3cret',
			'***** ***** *****',
		],
		['a secret that is part of another', ['fish', 'fish-and-chips'], 'fish-and-chips', '*****'],
		['no secrets', ['', undefined, null, 7], 'text 7 null', 'text 7 null'],
		['none of the secrets', ['s3cret'], '50 % of "a\\u0041\\"', '50 % of "a\\u0041\\"'],
	])('redacts a text with %s', (_case, secrets, text, redacted) => {
		expect(redactor(secrets)(text)).toBe(redacted);
	});

	it('masks the whole text if a secret is too long for a pattern', () => {
		const secret = 'a ø"'.repeat(2000);

		expect(redactor([secret])(`before ${secret} after`)).toBe('*****');
		expect(redactor([secret])('bcd')).toBe('bcd');
	});

	const redact = redactor(['s3cret']);

	it.each([
		[
			'{"a":["s3cret",1,null,true,{"b":"is s3cret!"}]}',
			'{"a":["*****",1,null,true,{"b":"is *****!"}]}',
		],
		['{"s3cret":1}', '{"*****":1}'],
		['{"__proto__":{"a":"s3cret"}}', '{"__proto__":{"a":"*****"}}'],
		['"s3cret"', '"*****"'],
		['{"a":["b",{"c":1.5},[],null,7,""]}', '{"a":["b",{"c":1.5},[],null,7,""]}'],
	])('redacts the JSON %s to %s', (text, expected) => {
		expect(JSON.stringify(redactJson(JSON.parse(text), redact))).toBe(expected);
	});
});
