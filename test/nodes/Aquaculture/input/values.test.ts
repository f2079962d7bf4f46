import fc from '../../../fixedSeed';
import {
	checkChoices,
	checkCount,
	checkIncludes,
	checkDuration,
	checkBoolean,
	checkVersion,
} from '../../../../nodes/Aquaculture/input/values';
import { checkSiteId } from '../../../../nodes/Aquaculture/input/siteText';

/** No-break, narrow no-break, thin, figure and punctuation space. */
const SPACES = ['\u00a0', '\u202f', '\u2009', '\u2007', '\u2008'];

it('a site ID may be any safe integer, as number or text', () => {
	fc.assert(
		fc.property(fc.maxSafeInteger(), (id) => {
			expect(checkSiteId(id)).toEqual({ value: id });
			const digits = String(Math.abs(id));
			expect(checkSiteId(` ${digits} `)).toEqual({ value: Math.abs(id) });
		}),
	);
});

it.each([
	...['1001.0', ' 1001.00 ', 1001.0, '１００１', ' １0０1 '],
	...SPACES.map((space) => `${space}1001${space}`),
])('the site ID %j becomes 1001', (input) => {
	expect(checkSiteId(input)).toEqual({ value: 1001 });
});

it.each(['0', -0])('the site ID %p becomes 0', (input) => {
	expect(checkSiteId(input).value).toBe(0);
});

const NO_ID = 'contains a value that is not a whole number';
const TOO_LARGE = 'contains a number that is too large for a site ID';

it.each<[unknown, string]>([
	...[undefined, null, '', '   '].map((input): [unknown, string] => [input, 'is empty']),
	[NaN, `${NO_ID}: "NaN"`],
	[1.5, `${NO_ID}: "1.5"`],
	[true, `${NO_ID}: "true"`],
	[{ id: 7 }, `${NO_ID}: {"id":7}`],
	[2 ** 53, `${TOO_LARGE}: "9007199254740992"`],
	[-(2 ** 53), `${TOO_LARGE}: "-9007199254740992"`],
	['9007199254740992', `${TOO_LARGE}: "9007199254740992"`],
	// Cut, but not within an emoji.
	['x'.repeat(59), `${NO_ID}: "${'x'.repeat(58)}…`],
	[`${'x'.repeat(57)}🐟🐟`, `${NO_ID}: "${'x'.repeat(57)}…`],
	['9'.repeat(400), `${TOO_LARGE}: "${'9'.repeat(58)}…`],
])('the site ID %p is refused: %s', (input, reason) => {
	expect(checkSiteId(input)).toEqual({ failure: { reason } });
});

it.each([
	...['13.000', '1.000', '45.000', '1001.000', '1000.0000', '1,2E+04', '1,00123E+11'],
	...['7 10', '1001.5', '1 001,5', '-1001', '-0', '1001..'],
	...['007', '00', '-07', ' 01001 ', '7 100', '+1001', '1001.', '1001,', '1001,0', '1001.0,'],
	...["'1001", '\u20191001', '="1001"', '"1001', '1.001E3', '1,001E+3', '1e3', '=1001'],
	...[' ', ...SPACES, ',', '.', "'", '\u2019'].map((mark) => `-12${mark}345${mark}678`),
])('the site ID %j is refused for its format', (input) => {
	expect(checkSiteId(input)).toEqual({
		failure: {
			reason: `contains an ID in another form than plain digits: "${input.trim()}"`,
			description: 'Write each ID as digits only, with commas between IDs: 1001, 1002.',
		},
	});
});

it.each<[unknown, ReturnType<typeof checkIncludes>]>([
	...[undefined, null, '', ' , ,'].map((input): [unknown, { value: string[] }] => [
		input,
		{ value: [] },
	]),
	[' a ,b,, a', { value: ['a', 'b'] }],
	[['a'], { failure: { reason: 'is not text: ["a"]' } }],
	['a,\udc00', { failure: { reason: 'contains a character that cannot be sent' } }],
])('the includes %j become %j', (input, checked) => {
	expect(checkIncludes(input)).toEqual(checked);
});

it.each(['2023-01-01', ' 2025-12-31 ', '2024-02-29'])('a version may be %j', (input) => {
	expect(checkVersion(input)).toEqual({ value: input.trim() });
});

it.each(['', ' ', null, undefined])('the version %j is empty', (input) => {
	expect(checkVersion(input)).toEqual({ failure: { reason: 'is empty' } });
});

it.each([
	...['2023-02-29', '2023-13-01', '2023-01-00', '+012023-01-01', '2023-01', 'on 2023-01-01'],
	...['2023-1-1', '23-01-01', '2023-01-01T00:00:00Z', '2023/01/01', 20230101, {}],
])('the version %j is refused', (input) => {
	const reason = expect.stringMatching(/^is not a date in the form YYYY-MM-DD: /) as unknown;
	expect(checkVersion(input)).toEqual({ failure: { reason } });
});

const NO_NUMBERS = [-1, NaN, Infinity, '', ' ', 'soon', '0x10', '1e1', null, undefined, {}, true];

const CASES = {
	'a count': {
		check: (input: unknown) => checkCount(input, 1, 50),
		accepted: [1, 50, '7'].map((input) => [input, Number(input)]),
		refused: [0, 51, 1.5, ...NO_NUMBERS],
		reason: 'is not a whole number from 1 to 50: ',
	},
	'a number of minutes': {
		check: (input: unknown) => checkDuration(input, 'minutes', 0, 1440),
		accepted: [0, '0', 0.5, '60', 1440].map((input) => [input, Number(input) * 60_000]),
		refused: [1441, ...NO_NUMBERS],
		reason: 'is not a number of minutes from 0 to 1440: ',
	},
	'a number of seconds': {
		check: (input: unknown) => checkDuration(input, 'seconds', 1, 3600),
		accepted: [30, '2.5', 3600].map((input) => [input, Number(input) * 1000]),
		refused: [0, 0.5, 3601, ...NO_NUMBERS],
		reason: 'is not a number of seconds from 1 to 3600: ',
	},
	'a switch': {
		check: checkBoolean,
		accepted: [true, 'true', false, 'false'].map((input) => [input, String(input) === 'true']),
		refused: ['', 'yes', 1, 0, null, undefined],
		reason: 'is neither true nor false: ',
	},
};

const accepted = Object.entries(CASES).flatMap(([what, { check, accepted }]) =>
	accepted.map(([input, value]) => [what, input, check, value] as const),
);
it.each(accepted)('%s may be %j', (_what, input, check, value) => {
	expect(check(input)).toEqual({ value });
});

const refused = Object.entries(CASES).flatMap(([what, { check, refused, reason }]) =>
	refused.map((input) => [what, input, check, reason] as const),
);
it.each(refused)('%s cannot be %j', (_what, input, check, reason) => {
	expect(check(input)).toEqual({
		failure: { reason: expect.stringContaining(reason) as unknown },
	});
});

const OFFERED = ['added', 'moved', 'removed'] as const;

it.each([
	[['removed', 'added', 'removed'], { value: ['added', 'removed'] }],
	[[], { value: [] }],
	['added', { failure: { reason: 'is not a list of choices: "added"' } }],
	[{ 0: 'added' }, { failure: { reason: 'is not a list of choices: {"0":"added"}' } }],
	[['added', 'sold'], { failure: { reason: 'contains a choice that does not exist: "sold"' } }],
])('the choices %j are checked, deduplicated and sorted', (input, checked) => {
	expect(checkChoices(input, OFFERED)).toEqual(checked);
});
