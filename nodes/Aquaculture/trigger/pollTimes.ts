import type { IPollFunctions, TriggerTime } from 'n8n-workflow';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../texts/duration';
import { LONGEST_POLL_MS } from './settings';

/** How long a poll takes at most if the poll times leave less, or a person is watching. */
export const SHORT_POLL_MS = 28 * SECOND_MS;
/** How long before the next poll one ends: time for the execution that it starts. */
const REST_MS = 20 * SECOND_MS;

/** When a poll ends. */
export interface PollTime {
	/** How long it may take, in milliseconds. */
	allowedMs: number;
	/** About how long until the next one begins, in milliseconds; an hour if it is longer. */
	intervalMs: number;
}

/**
 * When a poll must end: some time before the next one is due, and when n8n gives up on it, if n8n says so. The time of
 * the next one is not calculated: no poll takes more than four minutes, and one that is due earlier is left out.
 *
 * @param lastIntervalMs how long ago the last poll began, for poll times that do not say how often they come.
 */
export function pollTimeOf(context: IPollFunctions, lastIntervalMs = MINUTE_MS): PollTime {
	const { item: times = [] } = context.getNodeParameter('pollTimes', {}) as {
		item?: TriggerTime[];
	};
	const intervals = times.map((time) => intervalOf(time) ?? lastIntervalMs);
	const intervalMs = intervals.length > 0 ? Math.min(...intervals) : lastIntervalMs;
	const untilRestMs = Math.max(intervalMs - REST_MS, SHORT_POLL_MS);
	const budgetMs = context.getPollBudgetMs?.() ?? Infinity;
	return { allowedMs: Math.min(untilRestMs, LONGEST_POLL_MS, budgetMs), intervalMs };
}

/** How often a poll time comes, in milliseconds; undefined for a cron expression that does not say it simply. */
function intervalOf(time: TriggerTime): number | undefined {
	if (time.mode === 'everyMinute') return MINUTE_MS;
	if (time.mode === 'everyX' && time.unit === 'minutes') return time.value * MINUTE_MS;
	if (time.mode !== 'custom') return HOUR_MS;
	// Second, which may be left out, then minute, hour, day, month, weekday.
	const minute = time.cronExpression.trim().split(/\s+/).at(-5) ?? '';
	return /^\d+$/.test(minute) ? HOUR_MS : undefined;
}
