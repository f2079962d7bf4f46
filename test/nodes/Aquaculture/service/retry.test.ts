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

it.each<[string, number]>([
	['0', 0],
	[' 7 ', 7000],
	['120', 120_000],
	['86400', 86_400_000],
	['86401', 86_400_000],
	['9'.repeat(30), 86_400_000],
])('retryAfterMs reads %j as %j ms', (value, expected) => {
	expect(retryAfterMs({ 'retry-after': value })).toBe(expected);
});

it.each<unknown>([
	...['1 7', '7s', 'soon', '1.5', '-1', '', undefined, 7],
	'Thu, 01 Jan 2026 00:00:05 GMT',
])('retryAfterMs does not read %j', (value) => {
	expect(retryAfterMs({ 'retry-after': value })).toBeUndefined();
});
