import fc from 'fast-check';
import { isPassingStatus, nextPause, parseRetryAfter } from '../../shared/retry';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const dateOf = (at: number) => new Date(at).toUTCString();

afterEach(() => jest.restoreAllMocks());

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
		expect(parseRetryAfter(value, dateOf(NOW))).toBe(expected);
	});

	it.each<unknown>([undefined, '', 'soon', '7', ['Thu, 01 Jan 2026 00:00:00 GMT']])(
		'reads a date by this machine’s clock where the answer’s own date is %j',
		(date) => {
			jest.spyOn(Date, 'now').mockReturnValue(NOW);

			expect(parseRetryAfter(dateOf(NOW + 5000), date)).toBe(5000);
			expect(parseRetryAfter('7', date)).toBe(7000);
		},
	);
});

describe('whatever the clock says', () => {
	/** Times that a date of HTTP can name: whole seconds of years with four digits. */
	const seconds = fc.integer({
		min: Date.parse('1000-01-01T00:00:00Z') / 1000,
		max: Date.parse('9999-12-31T23:59:59Z') / 1000,
	});
	const clock = fc.record({
		now: seconds.map((at) => at * 1000),
		random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
	});
	const tries = fc.integer({ min: 1, max: 100 });
	const header = fc.oneof(
		fc.constant(undefined),
		fc.string(),
		fc.nat().map(String),
		seconds.map((at) => dateOf(at * 1000)),
	);
	const CEILING_MS = 8000;

	it('Retry-After asks for its seconds, or for the time until its date', () => {
		fc.assert(
			fc.property(fc.nat(), clock, (wait, { now }) => {
				expect(parseRetryAfter(`${wait}`, dateOf(now))).toBe(wait * 1000);
			}),
		);
		const machine = jest.spyOn(Date, 'now');
		fc.assert(
			fc.property(seconds, clock, clock, (at, service, { now }) => {
				machine.mockReturnValue(now);
				const asked = (date?: string) => parseRetryAfter(dateOf(at * 1000), date);
				expect(asked(dateOf(service.now))).toBe(Math.max(0, at * 1000 - service.now));
				expect(asked()).toBe(Math.max(0, at * 1000 - now));
			}),
		);
	});

	it('a pause is never shorter than Retry-After asks for, and else below its ceiling', () => {
		fc.assert(
			fc.property(tries, header, clock, (count, retryAfter, at) => {
				const asked = parseRetryAfter(retryAfter, dateOf(at.now)) ?? 0;
				const pause = nextPause(count, asked, { maxTries: Infinity, endsAt: Infinity }, at);

				expect(pause).toBeGreaterThanOrEqual(asked);
				expect(pause).toBeLessThanOrEqual(Math.max(asked, CEILING_MS));
			}),
		);
	});

	it('there is another try exactly where tries are left and it begins in time', () => {
		const few = fc.integer({ min: 1, max: 6 });
		const spare = fc.constantFrom(-Infinity, -1, 0, 1, Infinity);
		fc.assert(
			fc.property(few, few, header, spare, clock, (count, maxTries, retryAfter, spareMs, at) => {
				const asked = parseRetryAfter(retryAfter, dateOf(at.now));
				const due = nextPause(count, asked, { maxTries: Infinity, endsAt: Infinity }, at) ?? NaN;
				const endsAt = at.now + due + spareMs;

				const pause = nextPause(count, asked, { maxTries, endsAt }, at);
				expect(pause).toBe(count < maxTries && spareMs > 0 ? due : undefined);
			}),
		);
	});
});

describe('nextPause', () => {
	const clock = { now: NOW, random: 1 };
	const ENDLESS = { maxTries: Infinity, endsAt: Infinity };

	it('is the pause as long as tries and time last', () => {
		expect(nextPause(1, undefined, { maxTries: 2, endsAt: NOW + 501 }, clock)).toBe(500);
		expect(nextPause(2, undefined, { maxTries: 2, endsAt: Infinity }, clock)).toBeUndefined();
		expect(nextPause(1, undefined, { maxTries: 2, endsAt: NOW + 500 }, clock)).toBeUndefined();
		expect(nextPause(1, 9000, { maxTries: 2, endsAt: NOW + 9000 }, clock)).toBeUndefined();
	});

	it('is what the service asks for, where that is longer', () => {
		expect(nextPause(1, 7000, ENDLESS, clock)).toBe(7000);
		expect(nextPause(1, 200, ENDLESS, clock)).toBe(500);
	});

	it('doubles its ceiling with each try, up to a limit, and is any whole number of milliseconds below it', () => {
		const ceiling = (tries: number) => nextPause(tries, undefined, ENDLESS, clock) ?? NaN;
		expect([1, 2, 3, 4, 5, 6, 60].map(ceiling)).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000]);
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 100 }),
				fc.double({ min: 0, max: 1, noNaN: true }),
				(tries, random) => {
					expect(nextPause(tries, undefined, ENDLESS, { now: NOW, random })).toBe(
						Math.round(random * ceiling(tries)),
					);
				},
			),
		);
	});
});

describe('isPassingStatus', () => {
	it('holds for the statuses after which a request may succeed a little later; 429 stops its account', () => {
		const all = Array.from({ length: 500 }, (_, index) => index + 100);
		expect(all.filter(isPassingStatus)).toEqual([408, 500, 502, 503, 504]);
	});
});
