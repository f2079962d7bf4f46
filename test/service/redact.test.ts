import fc from 'fast-check';
import { redactor, redactJson } from '../../service/redact';

/** Ways in which services and proxies are known to escape what they repeat. */
const ESCAPES: Record<string, (text: string) => string> = {
	JSON: (text) => JSON.stringify(text).slice(1, -1),
	'JSON in ASCII': (text) =>
		JSON.stringify(text)
			.slice(1, -1)
			.replaceAll('/', '\\/')
			.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
	'percent-encoding': encodeURIComponent,
	'percent-encoding in small letters': (text) =>
		encodeURIComponent(text).replace(/%../g, (byte) => byte.toLowerCase()),
	'a form': (text) => new URLSearchParams({ p: text }).toString().slice(2),
};
const escapes = fc.constantFrom(...Object.values(ESCAPES));
const secrets = fc.oneof(
	fc.string({ unit: 'grapheme', minLength: 1 }),
	fc.string({ unit: fc.constantFrom(...'\\%"/25u0c+ .*([ø'), minLength: 1 }),
);

it('redactor replaces a secret where the text holds it as it is', () => {
	const around = fc.string({ unit: fc.constantFrom(...'abc ,:{}') });
	// The mask itself has nothing but stars.
	const secret = fc
		.string({ unit: fc.constantFrom(...'XYZ$&.*('), minLength: 3 })
		.filter((text) => /[^*]/.test(text));
	fc.assert(
		fc.property(around, secret, around, (before, hidden, after) => {
			const text = `${before}${hidden}${after}`;

			expect(redactor([hidden])(text)).toBe(`${before}*****${after}`);
		}),
	);
});

it('redactor masks a text that holds a secret only once its escapes are undone', () => {
	fc.assert(
		fc.property(secrets, fc.array(escapes, { maxLength: 3 }), (secret, applied) => {
			const escaped = applied.reduce((text, escape) => escape(text), secret);
			const text = `a ${escaped} z`;
			const redacted = redactor([secret])(text);

			expect(redacted).toContain('*****');
			if (!text.includes(secret)) expect(redacted).toBe('*****');
		}),
		{ numRuns: 1000 },
	);
});

it.each(['base64', 'base64url'] as const)(
	'redactor masks a text with the %s of a secret',
	(encoding) => {
		// A shorter one may be part of its own base64.
		const longer = secrets.filter(({ length }) => length > 3);
		fc.assert(
			fc.property(longer, fc.array(escapes, { maxLength: 1 }), (secret, applied) => {
				const encoded = Buffer.from(secret.toWellFormed()).toString(encoding);
				const escaped = applied.reduce((text, escape) => escape(text), encoded);

				expect(redactor([secret])(`Basic ${escaped}`)).toBe('*****');
				expect(redactor([secret])(`Basic ${escaped.replace(/=+$/, '')}`)).toBe('*****');
			}),
		);
	},
);

it('redactor leaves texts alone without the secret', () => {
	const text = fc.string({ unit: 'grapheme' });
	fc.assert(
		fc.property(text, fc.string({ unit: 'grapheme', minLength: 9 }), (around, secret) => {
			fc.pre(!/[\\%+]/.test(around + secret) && !around.includes(secret));

			expect(redactor([secret])(around)).toBe(around);
		}),
	);
});

it.each<[string, unknown[], string, string]>([
	['a secret occurs again', ['s3cret', 't0ken'], 's3cret t0ken s3cret', '***** ***** *****'],
	['a secret is part of another', ['fish', 'fish-and-chips'], 'fish-and-chips', '*****'],
	['a secret is escaped beside itself', ['s3cret'], 's3cret and %73%33cret', '*****'],
	['bytes that are no text come before it', ['s3cret'], 'a%FF%73%33cret', '*****'],
	['blanks are plus signs', ['s3 cret'], 'p=s3+cret', '*****'],
	['there are no secrets', ['', undefined, null, 7], 'text 7 null', 'text 7 null'],
	['escapes hide nothing', ['s3cret'], '50 % of "a\\u0041\\"', '50 % of "a\\u0041\\"'],
])('redactor masks what it must where %s', (_case, secretsOf, text, redacted) => {
	expect(redactor(secretsOf)(text)).toBe(redacted);
});

it.each(['\\', '\\u005c', '%25', '\\\\%2525\\"', '\\%25"', 'a+b'])(
	'redactor leaves 200,000 characters of %s as they are',
	(part) => {
		const text = part.repeat(200_000 / part.length);

		expect(redactor(['plainmark "\\ ø %25', 'token'.repeat(200)])(text)).toBe(text);
	},
);

it('redactor undoes any number of escapes', () => {
	expect(redactor(['s3cret'])(`${'\\n'.repeat(1_000_000)}s3\\u0063ret`)).toBe('*****');
	expect(redactor(['s3cret'])(`${'%20'.repeat(1_000_000)}s3%63ret`)).toBe('*****');
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
		['{"a":"is \\u0025733cret","b":"c"}', '{"a":"*****","b":"c"}'],
		['{"__proto__":{"a":"s3cret"}}', '{"__proto__":{"a":"*****"}}'],
		['"s3cret"', '"*****"'],
	])('redactJson turns %s into %s', (text, expected) => {
		expect(JSON.stringify(redacted(text))).toBe(JSON.stringify(JSON.parse(expected)));
	});

	it.each(['{"a":["b",{"c":1.5}]}', '{"a":"tab\\t"}', '[]', 'null', '7', '""'])(
		'redactJson hands %s back as it is',
		(text) => {
			const json = JSON.parse(text) as unknown;

			expect(redactJson(json, redact, text)).toBe(json);
			expect(redactJson(json, redact)).toEqual(json);
			expect(redactJson({ a: json, d: 's3cret' }, redact)).toEqual({ a: json, d: '*****' });
		},
	);

	it('redactJson looks at a text without a secret once, instead of at each of its values', () => {
		const watched = jest.fn(redact);
		const text = '{"a":"b","c":["d"]}';

		redactJson(JSON.parse(text), watched, text);

		expect(watched.mock.calls).toEqual([[text]]);
	});

	it('redactJson masks what is nested too deep to be looked into', () => {
		const text = `${'['.repeat(100_000)}"s3cret"${']'.repeat(100_000)}`;

		expect(JSON.stringify(redacted(text))).not.toContain('s3cret');
	});
});
