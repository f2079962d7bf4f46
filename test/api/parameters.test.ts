import fc from 'fast-check';
import {
	checkIncludes,
	checkSeconds,
	checkSiteId,
	checkSwitch,
	checkVersion,
} from '../../api/parameters';

describe('checkSiteId', () => {
	it('accepts every integer that JSON carries without loss, as a number and as digits', () => {
		fc.assert(
			fc.property(fc.maxSafeInteger(), (id) => {
				expect(checkSiteId(id)).toEqual({ value: id });
				expect(checkSiteId(` ${id} `)).toEqual({ value: id });
			}),
		);
	});

	it('accepts no other text', () => {
		fc.assert(
			fc.property(
				fc.string().filter((text) => !/^\s*-?\d+\s*$/.test(text)),
				(text) => {
					expect(checkSiteId(text).fault).toMatch(/^is (empty|not a whole number)/);
				},
			),
		);
	});

	it.each([undefined, null, '', '   '])('calls %j empty', (typed) => {
		expect(checkSiteId(typed)).toEqual({ fault: 'is empty' });
	});

	it.each([NaN, Infinity, 1.5, true, {}, [], () => 1])('refuses %p', (typed) => {
		expect(checkSiteId(typed).fault).toMatch(/^is not a whole number: /);
	});

	it.each([2 ** 53, -(2 ** 53), '9007199254740993', '9'.repeat(400)])(
		'refuses %j as too large',
		(typed) => {
			expect(checkSiteId(typed).fault).toMatch(/^is too large for a site ID: /);
		},
	);

	it('knows no negative zero', () => {
		expect(Object.is(checkSiteId('-0').value, 0)).toBe(true);
	});
});

describe('checkIncludes', () => {
	it.each<[unknown, string[]]>([
		[undefined, []],
		[null, []],
		['', []],
		[' , ,', []],
		['a', ['a']],
		[' a ,b,, a', ['a', 'b']],
	])('reads %j as %j', (typed, value) => {
		expect(checkIncludes(typed)).toEqual({ value });
	});

	it.each([7, ['a'], {}])('refuses %j', (typed) => {
		expect(checkIncludes(typed).fault).toMatch(/^is not a text: /);
	});

	it('refuses half a character', () => {
		expect(checkIncludes('a,\udc00').fault).toBe('holds a character that cannot be sent');
	});
});

describe('checkVersion', () => {
	it.each(['2023-01-01', ' 2025-12-31 ', '2024-02-29'])('accepts %j', (typed) => {
		expect(checkVersion(typed)).toEqual({ value: typed.trim() });
	});

	it.each(['', ' ', null, undefined])('calls %j empty', (typed) => {
		expect(checkVersion(typed)).toEqual({ fault: 'is empty' });
	});

	it.each([
		'2023-02-29',
		'2023-1-1',
		'23-01-01',
		'2023-01-01T00:00:00Z',
		'2023/01/01',
		20230101,
		{},
	])('refuses %j', (typed) => {
		expect(checkVersion(typed).fault).toMatch(/^is not a date in the form YYYY-MM-DD: /);
	});
});

describe('checkSeconds', () => {
	it.each<[unknown, number]>([
		[30, 30_000],
		['2.5', 2500],
		[3600, 3_600_000],
	])('reads %j', (typed, value) => {
		expect(checkSeconds(typed)).toEqual({ value });
	});

	it.each([0, -1, 3601, NaN, Infinity, '', ' ', 'soon', null, undefined, {}, true])(
		'refuses %j',
		(typed) => {
			expect(checkSeconds(typed).fault).toMatch(
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
