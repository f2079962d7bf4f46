import type { IPollFunctions } from 'n8n-workflow';
import { pollTimeOf } from '../../../../nodes/Aquaculture/trigger/pollTimes';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A poll of a workflow in Adelaide, whose hours begin at half past those of UTC. */
const contextOf = (item: object[] | undefined, budgetMs?: number) =>
	({
		getNodeParameter: () => ({ item }),
		getTimezone: () => 'Australia/Adelaide',
		...(budgetMs !== undefined && { getPollBudgetMs: () => budgetMs }),
	}) as unknown as IPollFunctions;
/** A Monday, at 17 seconds after the minute; Adelaide is half past nine hours ahead then. */
const at = (time: string) => new Date(`2026-06-01T${time}:17+09:30`);
const custom = (cronExpression: string) => ({ mode: 'custom', cronExpression });

it.each<[string, object[], now: string, nextInMs: number]>([
	['every minute', [{ mode: 'everyMinute' }], '06:00', MINUTE],
	['every hour', [{ mode: 'everyHour', minute: 5 }], '06:05', HOUR],
	['every day', [{ mode: 'everyDay', hour: 6, minute: 0 }], '06:00', DAY],
	['every week', [{ mode: 'everyWeek', weekday: '1', hour: 6, minute: 0 }], '06:00', 7 * DAY],
	['every month', [{ mode: 'everyMonth', dayOfMonth: 1, hour: 6, minute: 0 }], '06:00', 30 * DAY],
	['every 3 minutes', [{ mode: 'everyX', unit: 'minutes', value: 3 }], '06:03', 3 * MINUTE],
	['every 7 minutes', [{ mode: 'everyX', unit: 'minutes', value: 7 }], '06:56', 4 * MINUTE],
	['every 5 hours', [{ mode: 'everyX', unit: 'hours', value: 5 }], '20:41', 4 * HOUR],
	['at a cron expression', [custom('*/10 * * * *')], '06:10', 10 * MINUTE - 17 * SECOND],
	['at one with seconds', [custom(' 17 30 6 * * MON-FRI ')], '06:30', DAY],
	[
		'at several times',
		[
			{ mode: 'everyDay', hour: 6, minute: 0 },
			{ mode: 'everyDay', hour: 6, minute: 5 },
		],
		'06:00',
		// The seconds of the other one are not known.
		5 * MINUTE - 17 * SECOND,
	],
])('a poll %s knows when the next one is', (_name, item, now, nextInMs) => {
	expect(pollTimeOf(contextOf(item), undefined, at(now)).nextInMs).toBe(nextInMs);
});

it('a poll that begins a moment early or late is not taken for another one', () => {
	const context = contextOf([{ mode: 'everyX', unit: 'minutes', value: 3 }]);
	const nextIn = (now: string) => pollTimeOf(context, undefined, new Date(now)).nextInMs;

	expect(nextIn('2026-06-01T06:02:59.999Z')).toBe(3 * MINUTE + 1);
	expect(nextIn('2026-06-01T06:03:00.900Z')).toBe(3 * MINUTE - 900);
});

it.each<[string, object[] | undefined]>([
	['without poll times', undefined],
	['at times that cannot be read', [custom('whenever'), custom('0 0 0 31 2 *')]],
])(
	'a poll %s expects the next one as long after it as the last one was before it',
	(_name, item) => {
		expect(pollTimeOf(contextOf(item), HOUR).nextInMs).toBe(HOUR);
		expect(pollTimeOf(contextOf(item)).nextInMs).toBe(MINUTE);
	},
);

it.each<[nextInMs: number, budgetMs: number | undefined, allowedMs: number]>([
	[5 * SECOND, undefined, 28 * SECOND],
	[45 * SECOND, undefined, 28 * SECOND],
	[MINUTE, undefined, 40 * SECOND],
	[2 * MINUTE, undefined, 100 * SECOND],
	[3 * MINUTE, 5 * MINUTE, 160 * SECOND],
	[DAY, 5 * MINUTE, 4 * MINUTE],
	[DAY, 36 * SECOND, 36 * SECOND],
	[MINUTE, 36 * SECOND, 36 * SECOND],
])('a poll with the next one in %d ms, where n8n allows %d ms, may take %d ms', (...times) => {
	const [nextInMs, budgetMs, allowedMs] = times;

	expect(pollTimeOf(contextOf([], budgetMs), nextInMs)).toEqual({ allowedMs, nextInMs });
});
