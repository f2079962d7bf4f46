import fc from '../../../fixedSeed';
import { redactBody, redactJson, redactor } from '../../../../nodes/Aquaculture/service/redact';

/** Encodes the characters that are neither ASCII letters nor digits. */
const others = (encode: (character: string) => string) => (text: string) =>
	text.replace(/[^a-z\d]/giu, encode);
const hex = (character: string, digits: number) =>
	(character.codePointAt(0) ?? 0).toString(16).padStart(digits, '0');
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const toLatin1 = (text: string) => Buffer.from(text).toString('latin1');
const ENCODINGS: Record<string, (text: string) => string> = {
	plain: (text) => text,
	'other case': (text) => text.toUpperCase(),
	json,
	'JSON in JSON': (text) => json(json(text)),
	'JSON in JSON in JSON': (text) => json(json(json(text))),
	'escaped for JSON in ASCII': others((one) => `\\u${hex(one, 4)}`),
	'the same in JSON': (text) => json(others((one) => `\\u${hex(one, 4)}`)(text)),
	'escaped by Python': others((one) => `\\x${hex(one, 2)}`),
	'escaped by PHP': others((one) => (one === ' ' ? one : `\\${one}`)),
	url: encodeURIComponent,
	'URL in URL': (text) => encodeURIComponent(encodeURIComponent(text)),
	form: (text) => new URLSearchParams([['', text]]).toString().slice(1),
	'Latin-1 in a URL': others((one) => `%${hex(one, 2)}`),
	'HTML numbers': others((one) => `&#${one.codePointAt(0)};`),
	'HTML names': others(() => '&oslash;'),
	'HTML names in HTML': others(() => '&amp;oslash;'),
	mojibake: toLatin1,
	'mojibake twice': (text) => toLatin1(toLatin1(text)),
	'question marks': others(() => '?'),
	'dropped characters': others(() => ''),
};

describe('redaction', () => {
	const around = fc.string({ unit: fc.constantFrom(...'bc ,:{}') });
	const run = fc.string({ unit: fc.constantFrom(...'XYZ7'), minLength: 2, maxLength: 12 });
	const gap = fc.string({ unit: fc.constantFrom(...' $&."\\(øå%/+'), minLength: 1, maxLength: 4 });
	const secrets = fc
		.tuple(run, fc.array(fc.tuple(gap, run), { minLength: 1, maxLength: 4 }))
		.map((parts) => parts.flat(3).join(''));

	it.each(Object.keys(ENCODINGS))('hides only a text with a secret: %s', (name) => {
		fc.assert(
			fc.property(around, secrets, around, (before, secret, after) => {
				const redact = redactor([secret]);
				const text = `${before} ${after}`;

				expect(redact(`${before} ${ENCODINGS[name]?.(secret)} ${after}`)).toBe('*****');
				expect(redact(text)).toBe(text);
			}),
			{ numRuns: 50 },
		);
	});

	it.each([
		['Laks&24!', 'Is "Laks&amp;24&#33;" your name?', true],
		['Laks&24!', 'Laks was caught in the rivers at 24 sites', true],
		['Laks&24!', '24 Laks', false],
		['пароль1', 'Site 1 is closed', true],
		['пароль1', 'Site 2 is closed', false],
		['ø!', 'Nothing is left of ø! here', true],
		['İstanbul24', '%C4%B0stanbul24 is wrong', true],
		['\u212Aelvin99', '&#8490;elvin99 is wrong', true],
		['ø!', '', false],
	])('of the secret %j, the text %j is hidden: %j', (secret, text, isHidden) => {
		expect(redactor([secret])(text)).toBe(isHidden ? '*****' : text);
	});

	it.each<[string, unknown[], string, string]>([
		['the second secret', ['s3cret', 't0ken'], 'The t0ken is old', '*****'],
		['no secrets', ['', undefined, null, 7], 'text 7 null', 'text 7 null'],
		['none of the secrets', ['s3cret'], '50 % of "a\\u0041\\"', '50 % of "a\\u0041\\"'],
	])('redacts a text with %s', (_case, secrets, text, redacted) => {
		expect(redactor(secrets)(text)).toBe(redacted);
	});

	it.each([
		['long', 'tokenOf16KB'.repeat(1500)],
		['of backslashes and quotes', `a${'\\"'.repeat(500)}bcd`],
		['of one-letter runs', 'a-'.repeat(500)],
	])('takes steps that double with the text if a secret is %s', (_what, secret) => {
		const indexOf = jest.spyOn(String.prototype, 'indexOf');
		const stepsFor = (characters: number) => {
			indexOf.mockClear();
			redactor([secret])(secret.slice(0, -1).repeat(20).slice(0, characters));
			return indexOf.mock.calls.length;
		};
		const [steps, doubled] = [stepsFor(1000), stepsFor(2000)];
		indexOf.mockRestore();

		expect(steps).toBeGreaterThan(0);
		expect(doubled).toBeLessThanOrEqual(2 * steps + 10);
	});

	it.each([
		['a token of 16 KB', 'x_y-z.7~b/'.repeat(1600)],
		['a token of one-letter runs', 'a-b_'.repeat(4000)],
		['a password', 'Laks & ørret 24'],
	])('cuts a long text, and shows no part of %s at the cut', (_what, secret) => {
		for (const before of [0, 9_990, 20_000, 29_990]) {
			const shown = redactor([secret])('~'.repeat(before) + secret + '~'.repeat(9e6));

			expect(shown.length).toBeLessThanOrEqual(10_000);
			expect(shown).not.toMatch(/[a-z]/);
		}
	});

	it('hides a text that repeats only the beginning of a long token', () => {
		const token = 'aB3_dE6-'.repeat(250);

		expect(redactor([token])(`Bad header: ${token.slice(0, 1000)}…`)).toBe('*****');
	});

	it('shows only the beginning of a long body, as text', () => {
		const text = JSON.stringify(['x'.repeat(20_000)]);

		expect(redactBody({ text, json: JSON.parse(text) }, redactor([]))).toBe(text.slice(0, 10_000));
	});

	const redact = redactor(['s3cret']);

	it.each([
		[
			'{"a":["s3cret",1,null,true,{"b":"is s3cret!"}]}',
			'{"a":["*****",1,null,true,{"b":"*****"}]}',
		],
		['{"s3cret":1}', '{"*****":1}'],
		['{"__proto__":{"a":"s3cret"}}', '{"__proto__":{"a":"*****"}}'],
		['"s3cret"', '"*****"'],
		['{"a":["b",{"c":1.5},[],null,7,""]}', '{"a":["b",{"c":1.5},[],null,7,""]}'],
	])('redacts the JSON %s to %s', (text, expected) => {
		expect(JSON.stringify(redactJson(JSON.parse(text), redact))).toBe(expected);
	});
});
