import type { IPollFunctions } from 'n8n-workflow';
import { pollTimeOf } from '../../../../nodes/Aquaculture/trigger/pollTimes';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const contextOf = (item: object[] | undefined, budgetMs?: number) =>
	({
		getNodeParameter: () => ({ item }),
		...(budgetMs !== undefined && { getPollBudgetMs: () => budgetMs }),
	}) as unknown as IPollFunctions;
const custom = (cronExpression: string) => ({ mode: 'custom', cronExpression });
const everyX = (value: number, unit: string) => ({ mode: 'everyX', unit, value });

it.each<[object[], intervalMs: number]>([
	[[{ mode: 'everyMinute' }], MINUTE],
	[[everyX(3, 'minutes')], 3 * MINUTE],
	[[everyX(5, 'hours')], HOUR],
	[[{ mode: 'everyHour', minute: 5 }], HOUR],
	[[{ mode: 'everyDay', hour: 6, minute: 0 }], HOUR],
	[[{ mode: 'everyMonth', dayOfMonth: 1, hour: 6, minute: 0 }], HOUR],
	[[custom('0 6 * * MON-FRI')], HOUR],
	[[custom(' 17 30 6 * * * ')], HOUR],
	[[{ mode: 'everyDay', hour: 6, minute: 0 }, everyX(10, 'minutes')], 10 * MINUTE],
])('a poll takes the poll times %j for one every %d ms, an hour at most', (item, intervalMs) => {
	expect(pollTimeOf(contextOf(item)).intervalMs).toBe(intervalMs);
});

it.each<[object[] | undefined]>([[undefined], [[custom('*/2 * * * *')]], [[custom('whenever')]]])(
	'a poll expects the next one as long after it as the last one was before it if the poll times are %j',
	(item) => {
		expect(pollTimeOf(contextOf(item), 2 * MINUTE).intervalMs).toBe(2 * MINUTE);
		expect(pollTimeOf(contextOf(item)).intervalMs).toBe(MINUTE);
	},
);

it.each<[intervalMs: number, budgetMs: number | undefined, allowedMs: number]>([
	[5 * SECOND, undefined, 28 * SECOND],
	[45 * SECOND, undefined, 28 * SECOND],
	[MINUTE, undefined, 40 * SECOND],
	[2 * MINUTE, undefined, 100 * SECOND],
	[3 * MINUTE, 5 * MINUTE, 160 * SECOND],
	[DAY, 5 * MINUTE, 4 * MINUTE],
	[DAY, 36 * SECOND, 36 * SECOND],
	[MINUTE, 36 * SECOND, 36 * SECOND],
])('a poll every %d ms, for which n8n allows %d ms, may take %d ms', (...times) => {
	const [intervalMs, budgetMs, allowedMs] = times;

	expect(pollTimeOf(contextOf([], budgetMs), intervalMs)).toEqual({ allowedMs, intervalMs });
});
