import { getEventListeners } from 'node:events';
import { timeoutSignal, unlessAborted } from '../../../../nodes/Aquaculture/utils/abort';
import {
	isRetryableStatus,
	isSuccess,
	retryPauseMs,
	retryAfterMs,
} from '../../../../nodes/Aquaculture/service/retry';
import { useFakeTime } from '../../../../testbed/engine/fakeTime';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const DAY_MS = 24 * 3600 * 1000;
const dateOf = (at: number) => new Date(at).toUTCString();

const { advance } = useFakeTime();

it.each<[unknown, number | undefined]>([
	['0', 0],
	[' 7 ', 7000],
	['120', 120_000],
	['1 7', undefined],
	['7s', undefined],
	['86400', DAY_MS],
	['86401', DAY_MS],
	['9'.repeat(30), DAY_MS],
	['Thu, 01 Jan 2026 00:00:05 GMT', 5000],
	['Thursday, 01-Jan-26 00:00:05 GMT', 5000],
	['Thu, 01 Jan 2026 23:59:59 GMT', DAY_MS - 1000],
	['Fri, 01 Jan 2027 00:00:00 GMT', DAY_MS],
	['Wed, 31 Dec 2025 23:59:00 GMT', 0],
	['soon', undefined],
	['1.5', undefined],
	['-1', undefined],
	['', undefined],
	[undefined, undefined],
	[7, undefined],
])('retryAfterMs reads %j as %j ms', (value, expected) => {
	expect(retryAfterMs({ 'retry-after': value, date: dateOf(NOW) })).toBe(expected);
});

it.each<unknown>([undefined, '', 'soon', '7', ['Thu, 01 Jan 2026 00:00:00 GMT']])(
	'retryAfterMs uses the system clock if the Date header is %j',
	(date) => {
		jest.setSystemTime(NOW);

		expect(retryAfterMs({ 'retry-after': dateOf(NOW + 5000), date })).toBe(5000);
		expect(retryAfterMs({ 'retry-after': '7', date })).toBe(7000);
	},
);

it.each<{ tries: number; pause: number; random?: number; askedMs?: number }>([
	...[2000, 5000, 10_000, 20_000].map((pause, index) => ({ tries: index + 1, pause })),
	{ tries: 1, random: 0, pause: 1600 },
	{ tries: 4, random: 1, pause: 24_000 },
	{ tries: 1, askedMs: 7000, pause: 7000 },
	{ tries: 1, askedMs: 200, pause: 2000 },
])(
	'retryPauseMs backs off with jitter, and follows Retry-After: %j',
	({ tries, askedMs, random = 0.5, pause }) => {
		jest.spyOn(Math, 'random').mockReturnValue(random);

		expect(retryPauseMs(tries, askedMs)).toBe(pause);
	},
);

it('isSuccess accepts statuses from 200 to 299', () => {
	expect([99, 199, 200, 299, 300].filter(isSuccess)).toEqual([200, 299]);
});

it('only 408, 500, 502, 503 and 504 are tried again', () => {
	const all = Array.from({ length: 500 }, (_, index) => index + 100);
	expect(all.filter(isRetryableStatus)).toEqual([408, 500, 502, 503, 504]);
});

it('timeoutSignal aborts after its time', async () => {
	const signal = timeoutSignal(59.5);

	await advance(59);
	expect(signal.aborted).toBe(false);
	await advance(1);
	expect(signal.aborted).toBe(true);
});

it('unlessAborted stops waiting at an abort, and removes its listener', async () => {
	const one = new AbortController();
	const hang = new Promise<never>(() => {});

	await expect(unlessAborted(Promise.resolve(7), one.signal)).resolves.toBe(7);
	await expect(unlessAborted(Promise.reject(new Error('No')), one.signal)).rejects.toThrow('No');
	expect(getEventListeners(one.signal, 'abort')).toEqual([]);
	const waiting = unlessAborted(hang, one.signal);
	one.abort();
	await expect(waiting).resolves.toBeUndefined();
	await expect(unlessAborted(hang, AbortSignal.abort())).resolves.toBeUndefined();
});
