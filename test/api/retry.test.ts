import fc from 'fast-check';
import { isPassingStatus, nextPause, parseRetryAfter, retryDelay } from '../../api/retry';

const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('parseRetryAfter', () => {
	it.each<[unknown, number | undefined]>([
		['0', 0],
		[' 7 ', 7000],
		['120', 120_000],
		['1 7', undefined],
		['7s', undefined],
		['9'.repeat(30), 100 * 365 * 24 * 3600 * 1000],
		['Thu, 01 Jan 2026 00:00:05 GMT', 5000],
		['Wed, 31 Dec 2025 23:59:00 GMT', 0],
		['soon', undefined],
		['1.5', undefined],
		['-1', undefined],
		['', undefined],
		[undefined, undefined],
		[7, undefined],
	])('reads %j as %j', (value, expected) => {
		expect(parseRetryAfter(value, NOW)).toBe(expected);
	});
});

describe('retryDelay', () => {
	it('does what Retry-After asks for', () => {
		expect(retryDelay(1, '7', { now: NOW, random: 0.5 })).toBe(7000);
	});

	it('doubles its ceiling with each try, up to a limit, and waits any time below it', () => {
		const ceiling = (tries: number) => retryDelay(tries, undefined, { now: NOW, random: 1 });
		expect([1, 2, 3, 4, 5, 6, 60].map(ceiling)).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000]);
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 100 }),
				fc.double({ min: 0, max: 1, noNaN: true }),
				(tries, random) => {
					expect(retryDelay(tries, undefined, { now: NOW, random })).toBe(random * ceiling(tries));
				},
			),
		);
	});
});

describe('nextPause', () => {
	const clock = { now: NOW, random: 1 };

	it('is the pause as long as tries and time last', () => {
		expect(nextPause(1, undefined, { maxTries: 2, endsAt: NOW + 501 }, clock)).toBe(500);
		expect(nextPause(2, undefined, { maxTries: 2, endsAt: Infinity }, clock)).toBeUndefined();
		expect(nextPause(1, undefined, { maxTries: 2, endsAt: NOW + 500 }, clock)).toBeUndefined();
		expect(nextPause(1, '9', { maxTries: 2, endsAt: NOW + 9000 }, clock)).toBeUndefined();
	});
});

describe('isPassingStatus', () => {
	it('holds for the statuses after which a request may succeed a little later', () => {
		const all = Array.from({ length: 500 }, (_, index) => index + 100);
		expect(all.filter(isPassingStatus)).toEqual([408, 429, 500, 502, 503, 504]);
	});
});
