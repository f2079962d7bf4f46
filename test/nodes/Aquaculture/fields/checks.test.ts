import {
	checkChoices,
	checkCount,
	checkMinutes,
	checkSeconds,
	checkSwitch,
} from '../../../../nodes/Aquaculture/fields/checks';

describe('checkCount', () => {
	it.each([1, 50, '7'])('accepts %j', (typed) => {
		expect(checkCount(typed, 50)).toEqual({ value: Number(typed) });
	});

	it.each([0, 51, 1.5, '', 'x', null, NaN, Infinity, true])('refuses %j', (typed) => {
		expect(checkCount(typed, 50).fault).toMatch(/^is not a whole number from 1 to 50: /);
	});
});

describe('checkMinutes', () => {
	it.each<[unknown, number]>([
		[0, 0],
		['0', 0],
		[0.5, 30_000],
		['60', 3_600_000],
		[1440, 86_400_000],
	])('reads %j', (typed, value) => {
		expect(checkMinutes(typed, 1440)).toEqual({ value });
	});

	it.each([-1, 1441, NaN, Infinity, '', ' ', 'soon', null, undefined, {}, true])(
		'refuses %j',
		(typed) => {
			expect(checkMinutes(typed, 1440).fault).toMatch(
				/^is not a number of minutes from 0 to 1440: /,
			);
		},
	);
});

describe('checkSeconds', () => {
	it.each<[unknown, number]>([
		[30, 30_000],
		['2.5', 2500],
		[3600, 3_600_000],
	])('reads %j', (typed, value) => {
		expect(checkSeconds(typed, 3600)).toEqual({ value });
	});

	it.each([0, -1, 3601, NaN, Infinity, '', ' ', 'soon', null, undefined, {}, true])(
		'refuses %j',
		(typed) => {
			expect(checkSeconds(typed, 3600).fault).toMatch(
				/^is not a number of seconds above 0 and up to 3600/,
			);
		},
	);
});

describe('checkSwitch', () => {
	it.each<[unknown, boolean]>([
		[true, true],
		['true', true],
		[false, false],
		['false', false],
	])('reads %j', (typed, value) => {
		expect(checkSwitch(typed)).toEqual({ value });
	});

	it.each(['', 'yes', 1, 0, null, undefined])('refuses %j', (typed) => {
		expect(checkSwitch(typed).fault).toMatch(/^is neither true nor false/);
	});
});

describe('checkChoices', () => {
	const OFFERED = ['added', 'moved', 'removed'] as const;

	it('puts the choices in the order in which they are offered, each once', () => {
		expect(checkChoices(['removed', 'added', 'removed'], OFFERED)).toEqual({
			value: ['added', 'removed'],
		});
		expect(checkChoices([], OFFERED)).toEqual({ value: [] });
	});

	it.each<[unknown, string]>([
		['added', 'is not a list of choices: "added"'],
		[{ 0: 'added' }, 'is not a list of choices: {"0":"added"}'],
		[['added', 'sold'], 'contains a choice that does not exist: "sold"'],
	])('refuses %j', (typed, fault) => {
		expect(checkChoices(typed, OFFERED)).toEqual({ fault });
	});
});
