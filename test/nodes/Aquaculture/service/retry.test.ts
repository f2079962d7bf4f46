import { useFakeTime } from '../../../../testbed/engine/fakeTime';
import { retryAfterMs, retryPauseMs } from '../../../../nodes/Aquaculture/service/retry';

it.each<{ tries: number; pause: number; random?: number; askedMs?: number }>([
	...[2000, 5000, 10_000, 20_000].map((pause, index) => ({ tries: index + 1, pause })),
	{ tries: 1, random: 0, pause: 1600 },
	{ tries: 4, random: 1, pause: 24_000 },
	{ tries: 1, askedMs: 7000, pause: 7000 },
	{ tries: 1, askedMs: 200, pause: 2000 },
])('a retry backs off, and follows Retry-After: %j', ({ tries, askedMs, random = 0.5, pause }) => {
	jest.spyOn(Math, 'random').mockReturnValue(random);

	expect(retryPauseMs(tries, askedMs)).toBe(pause);
});

const NOW = Date.parse('2026-01-01T00:00:00Z');
const DAY_MS = 24 * 3600 * 1000;
const dateOf = (at: number) => new Date(at).toUTCString();

useFakeTime();

it.each<[string, number]>([
	['0', 0],
	[' 7 ', 7000],
	['120', 120_000],
	['86400', DAY_MS],
	['86401', DAY_MS],
	['9'.repeat(30), DAY_MS],
	['Thu, 01 Jan 2026 00:00:05 GMT', 5000],
	['Thursday, 01-Jan-26 00:00:05 GMT', 5000],
	['Thu, 01 Jan 2026 01:00:05 +0100', 5000],
	['Thu, 01 Jan 2026 23:59:59 GMT', DAY_MS - 1000],
	['Fri, 01 Jan 2027 00:00:00 GMT', DAY_MS],
	['Wed, 31 Dec 2025 23:59:00 GMT', 0],
])('retryAfterMs reads %j as %j ms', (value, expected) => {
	expect(retryAfterMs({ 'retry-after': value, date: dateOf(NOW) })).toBe(expected);
});

it.each<unknown>([
	...['1 7', '7s', 'soon', '1.5', '-1', '', undefined, 7],
	'Thu, 01 Jan 2026 00:00:05',
])('retryAfterMs does not read %j', (value) => {
	expect(retryAfterMs({ 'retry-after': value, date: dateOf(NOW) })).toBeUndefined();
});

it.each<unknown>([undefined, '', 'soon', '7', ['Thu, 01 Jan 2026 00:00:00 GMT']])(
	'retryAfterMs uses the system clock if the Date header is %j',
	(date) => {
		jest.setSystemTime(NOW);

		expect(retryAfterMs({ 'retry-after': dateOf(NOW + 5000), date })).toBe(5000);
		expect(retryAfterMs({ 'retry-after': '7', date })).toBe(7000);
	},
);
