import fc from '../fixedSeed';
import { checkIncludes, checkSiteId, checkVersion } from '../../service/values';

/** No-break space, narrow no-break space, thin space, figure space, punctuation space. */
const NO_BREAK_BLANKS = ['\u00a0', '\u202f', '\u2009', '\u2007', '\u2008'];

it('a site ID is every integer that JSON carries without loss, as a number and as digits', () => {
	fc.assert(
		fc.property(fc.maxSafeInteger(), (id) => {
			expect(checkSiteId(id)).toEqual({ value: id });
			expect(checkSiteId(` ${id} `)).toEqual({ value: id });
		}),
	);
});

it.each(['-0', -0])('a site ID is no negative zero: %p', (typed) => {
	expect(Object.is(checkSiteId(typed).value, 0)).toBe(true);
});

it.each(NO_BREAK_BLANKS)('a site ID may have no-break blanks around it, such as %j', (blank) => {
	expect(checkSiteId(`${blank}1001${blank}`)).toEqual({ value: 1001 });
});

it.each<[unknown, string]>([
	...[undefined, null, '', '   '].map((typed): [unknown, string] => [typed, 'is empty']),
	[NaN, 'is not a whole number: "NaN"'],
	[1.5, 'is not a whole number: "1.5"'],
	[true, 'is not a whole number: "true"'],
	[{ id: 7 }, 'is not a whole number: {"id":7}'],
	['1e3', 'is not a whole number: "1e3"'],
	['x'.repeat(59), `is not a whole number: "${'x'.repeat(58)}…`],
	[`${'x'.repeat(57)}🐟🐟`, `is not a whole number: "${'x'.repeat(57)}…`],
	[2 ** 53, 'is too large for a site ID: "9007199254740992"'],
	['-9007199254740992', 'is too large for a site ID: "-9007199254740992"'],
	['9'.repeat(400), `is too large for a site ID: "${'9'.repeat(58)}…`],
	['1001 1002', 'is not a whole number: "1001 1002"'],
	['7 10', 'is not a whole number: "7 10"'],
	['1 001,5', 'is not a whole number: "1 001,5"'],
])('a site ID is not %p, which %s', (typed, fault) => {
	expect(checkSiteId(typed)).toEqual({ fault });
});

it.each([
	...['007', '00', '-07', ' 01001 ', '7 100'],
	...[' ', ...NO_BREAK_BLANKS, ',', '.', "'", '\u2019'].map((mark) => `-12${mark}345${mark}678`),
])('a site ID has no leading zeros or thousands separators: %j', (typed) => {
	expect(checkSiteId(typed)).toEqual({
		fault: `has leading zeros or thousands separators: "${typed.trim()}"`,
		description: 'Write the ID as digits only, such as 1001.',
	});
});

it.each<[unknown, ReturnType<typeof checkIncludes>]>([
	...[undefined, null, '', ' , ,'].map((typed): [unknown, { value: string[] }] => [
		typed,
		{ value: [] },
	]),
	[' a ,b,, a', { value: ['a', 'b'] }],
	[['a'], { fault: 'is not a text: ["a"]' }],
	['a,\udc00', { fault: 'contains a character that cannot be sent' }],
])('further parts of a site that are typed as %j are %j', (typed, checked) => {
	expect(checkIncludes(typed)).toEqual(checked);
});

it.each(['2023-01-01', ' 2025-12-31 ', '2024-02-29'])('a version may be %j', (typed) => {
	expect(checkVersion(typed)).toEqual({ value: typed.trim() });
});

it.each(['', ' ', null, undefined])('a version that is %j is empty', (typed) => {
	expect(checkVersion(typed)).toEqual({ fault: 'is empty' });
});

it.each([
	...['2023-02-29', '2023-13-01', '2023-01-00', '+012023-01-01', '2023-01', 'on 2023-01-01'],
	...['2023-1-1', '23-01-01', '2023-01-01T00:00:00Z', '2023/01/01', 20230101, {}],
])('a version is not %j', (typed) => {
	expect(checkVersion(typed).fault).toMatch(/^is not a date in the form YYYY-MM-DD: /);
});
