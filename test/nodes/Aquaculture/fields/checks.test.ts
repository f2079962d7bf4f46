import {
	checkChoices,
	checkCount,
	checkMinutes,
	checkSeconds,
	checkSwitch,
} from '../../../../nodes/Aquaculture/fields/checks';

const NO_NUMBERS = [-1, NaN, Infinity, '', ' ', 'soon', '0x10', '1e1', null, undefined, {}, true];

const CASES = {
	'a count': {
		check: (typed: unknown) => checkCount(typed, 50),
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
	])('choices come each once, in the order in which they are offered: %j', (typed, checked) => {
		expect(checkChoices(typed, OFFERED)).toEqual(checked);
	});
});
