import fc from 'fast-check';
import { redactor, redactJson } from '../../shared/redact';

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');

/** Some of the hexadecimal digits in upper case. */
const anyCase = (text: string) =>
	fc
		.array(fc.boolean(), { minLength: text.length, maxLength: text.length })
		.map((upper) => [...text].map((c, i) => (upper[i] ? c.toUpperCase() : c)).join(''));

const percentEncoded = (character: string) =>
	[...Buffer.from(character.toWellFormed())].map((byte) => `%${hex(byte, 2)}`).join('');

const unitEscaped = (character: string) =>
	character
		.split('')
		.map((unit) => `u${hex(unit.charCodeAt(0), 4)}`)
		.join('\\');

/** A character in any of its spellings. */
const spelled = (character: string): fc.Arbitrary<string> =>
	fc.oneof(
		fc.constantFrom(
			character,
			character.toWellFormed(),
			JSON.stringify(character).slice(1, -1),
			encodeURIComponent(character.toWellFormed()),
			...(character === '/' ? ['\\/'] : []),
			...(character === ' ' ? ['+', '\\u002B'] : []),
		),
		// The letter u of JSON's escapes is always a small one.
		anyCase(unitEscaped(character)).map((digits) => `\\${digits.replaceAll('U', 'u')}`),
		anyCase(percentEncoded(character)),
	);

const withSpelling = (secret: fc.Arbitrary<string>) =>
	secret.chain((text) =>
		fc
			.tuple(...[...text].map(spelled))
			.map((characters): [string, string] => [text, characters.join('')]),
	);

const secrets = fc.oneof(
	fc.string({ unit: 'grapheme', minLength: 1 }),
	fc.string({ unit: 'binary', minLength: 1 }),
	fc.string({ unit: fc.constantFrom(...'\\%"/25u0c+ .*(['), minLength: 1 }),
	fc
		.array(fc.integer({ min: 0xd700, max: 0xe0ff }), { minLength: 1 })
		.map((units) => String.fromCharCode(...units)),
);

describe('redactor', () => {
	it('takes a secret out in whatever spellings of its characters it is repeated', () => {
		fc.assert(
			fc.property(withSpelling(secrets), ([secret, spelling]) => {
				expect(redactor([secret])(spelling)).toBe('*****');
				expect(redactor([secret])(`a ${spelling} z`)).toContain('*****');
			}),
			{ numRuns: 1000 },
		);
	});

	it.each(['base64', 'base64url'] as const)('takes the %s of a secret out', (encoding) => {
		fc.assert(
			// A shorter one may be in the spelling of its own base64.
			fc.property(
				secrets.filter(({ length }) => length > 3),
				(secret) => {
					const encoded = Buffer.from(secret.toWellFormed()).toString(encoding);
					for (const spelling of [
						encoded,
						encoded.replace(/=+$/, ''),
						encodeURIComponent(encoded),
						encoded.replaceAll('/', '\\/').replaceAll('+', '\\u002B').replaceAll('=', '\\u003d'),
					]) {
						expect(redactor([secret])(spelling)).toBe('*****');
					}
				},
			),
		);
	});

	it('leaves texts alone without the secret', () => {
		const text = fc.string({ unit: 'grapheme' });
		fc.assert(
			fc.property(text, fc.string({ unit: 'grapheme', minLength: 9 }), (around, secret) => {
				fc.pre(!/[\\%+]/.test(around + secret) && !around.includes(secret));

				expect(redactor([secret])(around)).toBe(around);
			}),
		);
	});

	it.each<[string, unknown[], string, string]>([
		['JSON escapes it', ['pass"word\n'], '{"sent":"pass\\"word\\n"}', '{"sent":"*****"}'],
		[
			'JSON in JSON in JSON escapes it',
			['pa\\ss"word\n/'],
			JSON.stringify(JSON.stringify(JSON.stringify('pa\\ss"word\n/'))),
			'"\\"\\\\\\"*****\\\\\\"\\""',
		],
		[
			'a URL in a URL encodes it',
			['pa ss&/'],
			`?to=${encodeURIComponent(`/?p=${encodeURIComponent('pa ss&/')}`)}&x`,
			'?to=%2F%3Fp%3D*****&x',
		],
		['it occurs again', ['s3cret', 't0ken'], 's3cret t0ken %73%33cret', '***** ***** *****'],
		['another one is part of it', ['fish', 'fish-and-chips'], 'fish-and-chips', '*****'],
		['there are none', ['', undefined, null, 7], 'text 7 null', 'text 7 null'],
	])('takes secrets out where %s', (_case, secretsOf, text, redacted) => {
		expect(redactor(secretsOf)(text)).toBe(redacted);
	});

	it.each([100, 3000, 200_000])('takes a token of %d characters out', (length) => {
		const token = `${'aB0-._~+/'.repeat(length / 9)}==`;
		const escaped = JSON.stringify(token).replaceAll('/', '\\/').replaceAll('+', '\\u002b');

		for (const spelling of [token, encodeURIComponent(token), escaped.slice(1, -1), btoa(token)]) {
			expect(redactor([token])(`a${spelling}b${spelling}`)).toBe('a*****b*****');
		}
		expect(redactor([token])(`a${token.slice(0, -3)}b`)).toBe(`a${token.slice(0, -3)}b`);
	});

	it.each([
		['a long token', 'eyJhbGciOiJIUzI1NiJ9.'.repeat(60), 'eyJhbGciOiJIUzI1NiJ9.'.repeat(59)],
		['backslashes', `${'\\'.repeat(20)}x`, '\\'.repeat(100_000)],
		['escaped backslashes', `${'\\'.repeat(20)}x`, '\\u005c'.repeat(100_000)],
		['escapes as a secret', `${'\\u005c'.repeat(20)}x`, '\\u005c'.repeat(50_000)],
		[
			'percent-encoded backslashes',
			`${'%5c\\'.repeat(8)}x`,
			'%5c\\\\%5c\\%5c\\%5c\\\\%255c%5C%255c%5C'.repeat(3000),
		],
		['percent signs', `${'%'.repeat(30)}x`, '%25'.repeat(50_000)],
		['percent-encoding as a secret', `${'%25'.repeat(30)}x`, '%2525'.repeat(50_000)],
		['mixed escapes', `${'\\%25"'.repeat(10)}x`, '\\\\\\%2525\\"'.repeat(20_000)],
	])('ends soon with %s', (_name, secret, text) => {
		const begun = performance.now();

		expect(redactor([secret])(text)).toBe(text);
		// Backtracking of the bad kind would take years.
		expect(performance.now() - begun).toBeLessThan(10_000);
	});
});

describe('redactJson', () => {
	const redact = redactor(['s3cret']);
	const redacted = (text: string) => redactJson(JSON.parse(text), redact, text);

	it.each([
		[
			'{"a":["s3cret",1,null,true,{"b":"is s3cret!"}]}',
			'{"a":["*****",1,null,true,{"b":"is *****!"}]}',
		],
		['{"s3cret":1}', '{"*****":1}'],
		['{"a":"s3\\u0063ret"}', '{"a":"*****"}'],
		['{"a":"\\u0025733cret"}', '{"a":"*****"}'],
		['{"__proto__":{"a":"s3cret"}}', '{"__proto__":{"a":"*****"}}'],
		['"s3cret"', '"*****"'],
	])('turns %s into %s', (text, expected) => {
		expect(JSON.stringify(redacted(text))).toBe(JSON.stringify(JSON.parse(expected)));
	});

	it.each(['{"a":["b",{"c":1.5}]}', '{"a":"tab\\t"}', '[]', 'null', '7', '""'])(
		'hands %s back as it is',
		(text) => {
			const json = JSON.parse(text) as unknown;

			expect(redactJson(json, redact, text)).toBe(json);
			expect(redactJson(json, redact)).toBe(json);
			expect(redactJson({ a: json, d: 's3cret' }, redact)).toEqual({ a: json, d: '*****' });
		},
	);

	it('looks at a text without escapes once, instead of at each of its values', () => {
		const watched = jest.fn(redact);
		const text = '{"a":"b","c":["d"]}';

		redactJson(JSON.parse(text), watched, text);

		expect(watched.mock.calls).toEqual([[text]]);
	});

	it('puts nothing out from depths that nobody looks into', () => {
		const text = `${'['.repeat(100_000)}"s3cret"${']'.repeat(100_000)}`;

		expect(JSON.stringify(redacted(text))).not.toContain('s3cret');
	});
});
