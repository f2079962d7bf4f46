import fc from 'fast-check';
import {
	checkIncludes,
	checkSiteId,
	checkSiteIds,
	checkVersion,
} from '../../service/requestValues';

/** No-break space, narrow no-break space, thin space, figure space, punctuation space. */
const NO_BREAK_BLANKS = ['\u00a0', '\u202f', '\u2009', '\u2007', '\u2008'];

it('checkSiteId accepts every integer that JSON carries without loss, as a number and as digits', () => {
	fc.assert(
		fc.property(fc.maxSafeInteger(), (id) => {
			expect(checkSiteId(id)).toEqual({ value: id });
			expect(checkSiteId(` ${id} `)).toEqual({ value: id });
		}),
	);
});

it.each(['-0', -0])('checkSiteId knows no negative zero: %p', (typed) => {
	expect(Object.is(checkSiteId(typed).value, 0)).toBe(true);
});

it.each(NO_BREAK_BLANKS)('checkSiteId trims no-break blanks, such as %j', (blank) => {
	expect(checkSiteId(`${blank}1001${blank}`)).toEqual({ value: 1001 });
});

it.each<[unknown, string]>([
	[undefined, 'is empty'],
	[null, 'is empty'],
	['', 'is empty'],
	['   ', 'is empty'],
	[NaN, 'is not a whole number: "NaN"'],
	[Infinity, 'is not a whole number: "Infinity"'],
	[1.5, 'is not a whole number: "1.5"'],
	[true, 'is not a whole number: "true"'],
	[[], 'is not a whole number: []'],
	[{ id: 7 }, 'is not a whole number: {"id":7}'],
	['x'.repeat(58), `is not a whole number: "${'x'.repeat(58)}"`],
	['x'.repeat(59), `is not a whole number: "${'x'.repeat(58)}…`],
	[`${'x'.repeat(57)}🐟🐟`, `is not a whole number: "${'x'.repeat(57)}…`],
	[2 ** 53, 'is too large for a site ID: "9007199254740992"'],
	[-(2 ** 53), 'is too large for a site ID: "-9007199254740992"'],
	['9007199254740993', 'is too large for a site ID: "9007199254740993"'],
	['9'.repeat(400), `is too large for a site ID: "${'9'.repeat(58)}…`],
	// No thousands separators.
	['1001 1002', 'is not a whole number: "1001 1002"'],
	['7 10', 'is not a whole number: "7 10"'],
	['1001,001', 'is not a whole number: "1001,001"'],
	['1 001,5', 'is not a whole number: "1 001,5"'],
])('checkSiteId refuses %p, which %s', (typed, fault) => {
	expect(checkSiteId(typed)).toEqual({ fault });
});

it.each([
	...['007', '01', '00', '-07', '-00', ' 01001 ', '7 100'],
	...[' ', ...NO_BREAK_BLANKS, ',', '.', "'", '\u2019'].flatMap((separator) => [
		`1${separator}001`,
		`-12${separator}345${separator}678`,
	]),
])('checkSiteId refuses a number with leading zeros or thousands separators: %j', (typed) => {
	expect(checkSiteId(typed)).toEqual({
		fault: `has leading zeros or thousands separators: "${typed.trim()}"`,
		description: 'Write the ID as digits only, such as 1001.',
	});
});

describe('checkSiteIds', () => {
	const ids = fc.array(fc.maxSafeInteger(), { minLength: 1 });
	const separator = fc.stringMatching(/^[ ,;\n\t\r]{1,4}$/);
	/** Whether it would make one number of two. */
	const isGrouping = (between: string, next: number) =>
		between === ' ' && next >= 100 && next <= 999;

	it('checkSiteIds reads every list of IDs in its order, whatever separates them and in whichever form it is given', () => {
		fc.assert(
			fc.property(ids, separator, (list, between) => {
				fc.pre(!list.slice(1).some((id) => isGrouping(between, id)));
				const value = list.map((id) => (id === 0 ? 0 : id));
				const forms = [
					list,
					list.map(String),
					between + list.join(between) + between,
					JSON.stringify(list, null, between.replace(/\S/g, '')),
					JSON.stringify(list.map(String)),
				];
				for (const typed of forms) expect(checkSiteIds(typed)).toEqual({ value });
			}),
		);
	});

	it('checkSiteIds names the bad entries in their order, wherever they are, and counts those it does not name', () => {
		const bad = fc.constantFrom('x', '1.5', '1e21', 'Merd', '--1', '__proto__', '0x1');
		const entries = fc.array(
			fc.oneof(
				fc.maxSafeInteger().map((id) => ({ text: `${id}`, isBad: false })),
				bad.map((text) => ({ text, isBad: true })),
			),
			{ minLength: 1 },
		);
		fc.assert(
			fc.property(entries, separator, (all, between) => {
				const named = all.filter(({ isBad }) => isBad).map(({ text }) => `"${text}"`);
				fc.pre(named.length > 0);
				const { fault = '', value } = checkSiteIds(all.map(({ text }) => text).join(between));
				const [, list = '', more = '0'] = /: (.*?)(?: and (\d+) more)?$/.exec(fault) ?? [];

				expect(value).toBeUndefined();
				expect(list.split(', ')).toEqual(named.slice(0, 3));
				expect(Number(more)).toBe(Math.max(0, named.length - 3));
			}),
		);
	});

	it.each<[unknown, string]>([
		...[undefined, null, '', ' ,;\n', '\u00a0', [], '[]', [null, undefined, '', ' ']].map(
			(typed): [unknown, string] => [typed, 'is empty'],
		),
		[true, 'is not a list of site IDs: "true"'],
		[{}, 'is not a list of site IDs: {}'],
		[{ 0: 1 }, 'is not a list of site IDs: {"0":1}'],
		['[1, 2', 'contains an entry that is not a site ID: "[1"'],
		['[1] 2', 'contains an entry that is not a site ID: "[1]"'],
		['["x"]', 'contains an entry that is not a site ID: "x"'],
		['[[1]]', 'contains an entry that is not a site ID: [1]'],
		['1 [2]', 'contains an entry that is not a site ID: "[2]"'],
		['{"a":[1]}', 'contains an entry that is not a site ID: "{"a":[1]}"'],
		['1 x y', 'contains 2 entries that are not site IDs: "x", "y"'],
		['x '.repeat(9), 'contains 9 entries that are not site IDs: "x", "x", "x" and 6 more'],
	])('checkSiteIds refuses %p, which %s', (typed, fault) => {
		expect(checkSiteIds(typed)).toEqual({ fault });
	});

	it.each<[unknown, number[]]>([
		[7, [7]],
		['\n [1, 2]', [1, 2]],
		['["1, 2", "3"]', [1, 2, 3]],
		[
			['1, 2;3', null, '', '4 5', 6],
			[1, 2, 3, 4, 5, 6],
		],
		// A number with thousands separators looks much the same.
		['1001 1002 1003', [1001, 1002, 1003]],
		['1001\u00a01002 \u00a01003', [1001, 1002, 1003]],
		['1001,\u00a01002;\u202f1003\u00a0', [1001, 1002, 1003]],
		['\u00a0[1001, 1002]\u00a0', [1001, 1002]],
		[
			[' 1001\u00a0', '1002 1003'],
			[1001, 1002, 1003],
		],
		['7\u2028100', [7, 100]],
		['7,100', [7, 100]],
		['1001 100', [1001, 100]],
		['7 0 1', [7, 0, 1]],
		[
			[7, 100, '100'],
			[7, 100, 100],
		],
	])('checkSiteIds reads %j as a list', (typed, value) => {
		expect(checkSiteIds(typed)).toEqual({ value });
	});

	const description =
		'Write each ID without leading zeros or thousands separators, with commas between IDs: 1001, 1002.';

	it.each<[unknown, string]>([
		...[' ', ...NO_BREAK_BLANKS].flatMap((blank): Array<[unknown, string]> => {
			const [short, long] = [`1${blank}001`, `12${blank}345${blank}678`];
			return [
				[` 1001, ${short}\n${long}`, `"${short}", "${long}"`],
				[[1001, short], `"${short}"`],
				[`["${short}"]`, `"${short}"`],
			];
		}),
		['007', '"007"'],
		['1001 007 -07', '"007", "-07"'],
		[['007'], '"007"'],
		['1,001', '"001"'],
		['100 200 300', '"100 200 300"'],
		['1001 7 100 1002', '"7 100"'],
		['7 100 1001', '"7 100"'],
		['-7 100', '"-7 100"'],
		['1\u00a0001 002', '"1\u00a0001 002"'],
	])(
		'checkSiteIds refuses numbers with leading zeros or thousands separators: %j',
		(typed, named) => {
			const count = named.split('", "').length;
			const numbers = count === 1 ? 'a number' : `${count} numbers`;

			expect(checkSiteIds(typed)).toEqual({
				fault: `contains ${numbers} with leading zeros or thousands separators: ${named}`,
				description,
			});
		},
	);

	it('checkSiteIds names them among other bad entries', () => {
		expect(checkSiteIds('x, 1 001')).toEqual({
			fault: 'contains 2 entries that are not site IDs: "x", "1 001"',
			description,
		});
	});

	it('checkSiteIds reads a list of 200,000 entries', () => {
		const typed = '7 100 '.repeat(200_000);

		expect(checkSiteIds(typed).fault).toContain('contains 200000 numbers');
		expect(checkSiteIds('1001 '.repeat(200_000)).value).toHaveLength(200_000);
	});
});

it.each<[unknown, ReturnType<typeof checkIncludes>]>([
	[undefined, { value: [] }],
	[null, { value: [] }],
	['', { value: [] }],
	[' , ,', { value: [] }],
	['a', { value: ['a'] }],
	[' a ,b,, a', { value: ['a', 'b'] }],
	[7, { fault: 'is not a text: "7"' }],
	[['a'], { fault: 'is not a text: ["a"]' }],
	['a,\udc00', { fault: 'contains a character that cannot be sent' }],
])('checkIncludes reads %j as %j', (typed, checked) => {
	expect(checkIncludes(typed)).toEqual(checked);
});

it.each(['2023-01-01', ' 2025-12-31 ', '2024-02-29'])('checkVersion accepts %j', (typed) => {
	expect(checkVersion(typed)).toEqual({ value: typed.trim() });
});

it.each(['', ' ', null, undefined])('checkVersion calls %j empty', (typed) => {
	expect(checkVersion(typed)).toEqual({ fault: 'is empty' });
});

it.each([
	...['2023-02-29', '2023-04-31', '2023-13-01', '2023-00-01', '2023-01-00'],
	...['+012023-01-01', '2023-01', '2023-01-01 ish', 'about 2023-01-01', '2023-1-1', '23-01-01'],
	...['2023-01-01T00:00:00Z', '2023/01/01', 20230101, {}],
])('checkVersion refuses %j', (typed) => {
	expect(checkVersion(typed).fault).toMatch(/^is not a date in the form YYYY-MM-DD: /);
});
