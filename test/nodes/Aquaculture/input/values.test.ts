import fc from '../../../fixedSeed';
import {
	checkChoices,
	checkCount,
	checkIncludes,
	checkMinutes,
	checkSeconds,
	checkSiteId,
	checkSwitch,
	checkVersion,
} from '../../../../nodes/Aquaculture/input/values';

/** No-break space, narrow no-break space, thin space, figure space, punctuation space. */
const SPACES = ['\u00a0', '\u202f', '\u2009', '\u2007', '\u2008'];

it('a site ID is every integer that JSON carries without loss, as a number and as digits', () => {
	fc.assert(
		fc.property(fc.maxSafeInteger(), (id) => {
			expect(checkSiteId(id)).toEqual({ value: id });
			expect(checkSiteId(` ${id} `)).toEqual({ value: id });
		}),
	);
});

it.each(['1001.0', ' 1001.00 ', 1001.0])('a site ID may be exported as a decimal: %j', (typed) => {
	expect(checkSiteId(typed)).toEqual({ value: 1001 });
});

it.each(['-0', -0])('a site ID is no negative zero: %p', (typed) => {
	expect(Object.is(checkSiteId(typed).value, 0)).toBe(true);
});

it.each(SPACES)('a site ID may have any spaces around it, such as %j', (space) => {
	expect(checkSiteId(`${space}1001${space}`)).toEqual({ value: 1001 });
});

it.each<[unknown, string]>([
	...[undefined, null, '', '   '].map((typed): [unknown, string] => [typed, 'is empty']),
	[NaN, 'contains a value that is not a whole number: "NaN"'],
	[1.5, 'contains a value that is not a whole number: "1.5"'],
	[true, 'contains a value that is not a whole number: "true"'],
	[{ id: 7 }, 'contains a value that is not a whole number: {"id":7}'],
	['1e3', 'contains a value that is not a whole number: "1e3"'],
	['x'.repeat(59), `contains a value that is not a whole number: "${'x'.repeat(58)}…`],
	[`${'x'.repeat(57)}🐟🐟`, `contains a value that is not a whole number: "${'x'.repeat(57)}…`],
	[2 ** 53, 'contains a number that is too large for a site ID: "9007199254740992"'],
	['-9007199254740992', 'contains a number that is too large for a site ID: "-9007199254740992"'],
	['9'.repeat(400), `contains a number that is too large for a site ID: "${'9'.repeat(58)}…`],
	['1001 1002', 'contains a value that is not a whole number: "1001 1002"'],
	['7 10', 'contains a value that is not a whole number: "7 10"'],
	['1001.5', 'contains a value that is not a whole number: "1001.5"'],
	['1 001,5', 'contains a value that is not a whole number: "1 001,5"'],
])('a site ID is not %p, which %s', (typed, fault) => {
	expect(checkSiteId(typed)).toEqual({ fault });
});

it.each([
	...['007', '00', '-07', ' 01001 ', '7 100'],
	...[' ', ...SPACES, ',', '.', "'", '\u2019'].map((mark) => `-12${mark}345${mark}678`),
])('a site ID has no leading zeros, separators or a decimal comma: %j', (typed) => {
	expect(checkSiteId(typed)).toEqual({
		fault: `contains a number with leading zeros, separators or a decimal comma: "${typed.trim()}"`,
		description: 'Write each ID as digits only, with commas between IDs: 1001, 1002.',
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
])('the further parts %j are read as %j', (typed, checked) => {
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

const NO_NUMBERS = [-1, NaN, Infinity, '', ' ', 'soon', '0x10', '1e1', null, undefined, {}, true];

const CASES = {
	'a count': {
		check: (typed: unknown) => checkCount(typed, 1, 50),
		accepted: [1, 50, '7'].map((typed) => [typed, Number(typed)]),
		refused: [0, 51, 1.5, ...NO_NUMBERS],
		fault: 'is not a whole number from 1 to 50: ',
	},
	'a number of minutes': {
		check: (typed: unknown) => checkMinutes(typed, 1440),
		accepted: [0, '0', 0.5, '60', 1440].map((typed) => [typed, Number(typed) * 60_000]),
		refused: [1441, ...NO_NUMBERS],
		fault: 'is not a number of minutes from 0 to 1440: ',
	},
	'a number of seconds': {
		check: (typed: unknown) => checkSeconds(typed, 3600),
		accepted: [30, '2.5', 3600].map((typed) => [typed, Number(typed) * 1000]),
		refused: [0, 3601, ...NO_NUMBERS],
		fault: 'is not a number of seconds above 0 and up to 3600: ',
	},
	'a switch': {
		check: checkSwitch,
		accepted: [true, 'true', false, 'false'].map((typed) => [typed, String(typed) === 'true']),
		refused: ['', 'yes', 1, 0, null, undefined],
		fault: 'is neither true nor false: ',
	},
};

const accepted = Object.entries(CASES).flatMap(([what, { check, accepted }]) =>
	accepted.map(([typed, value]) => [what, typed, check, value] as const),
);
it.each(accepted)('%s may be %j', (_what, typed, check, value) => {
	expect(check(typed)).toEqual({ value });
});

const refused = Object.entries(CASES).flatMap(([what, { check, refused, fault }]) =>
	refused.map((typed) => [what, typed, check, fault] as const),
);
it.each(refused)('%s may not be %j', (_what, typed, check, fault) => {
	expect(check(typed).fault).toContain(fault);
});

describe('choices', () => {
	const OFFERED = ['added', 'moved', 'removed'] as const;

	it.each([
		[['removed', 'added', 'removed'], { value: ['added', 'removed'] }],
		[[], { value: [] }],
		['added', { fault: 'is not a list of choices: "added"' }],
		[{ 0: 'added' }, { fault: 'is not a list of choices: {"0":"added"}' }],
		[['added', 'sold'], { fault: 'contains a choice that does not exist: "sold"' }],
	])('choices are read once each, in the order of the panel: %j', (typed, checked) => {
		expect(checkChoices(typed, OFFERED)).toEqual(checked);
	});
});
