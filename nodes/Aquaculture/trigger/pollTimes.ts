import { toCronExpression, type IPollFunctions, type TriggerTime } from 'n8n-workflow';
import { MINUTE_MS, SECOND_MS } from '../../../texts/duration';
import { nextTime } from './cron';
import { LONGEST_POLL_MS } from './settings';

/** How long a poll takes at most if the poll times leave less, or a person is watching. */
export const SHORT_POLL_MS = 28 * SECOND_MS;
/** How long before the next poll one ends: time for the execution that it starts. */
const REST_MS = 20 * SECOND_MS;

/** A timer may fire a moment early. */
const EARLY_MS = SECOND_MS;

/** When a poll ends. */
export interface PollTime {
	/** How long it may take, in milliseconds. */
	allowedMs: number;
	/** How long until the next one begins, in milliseconds. */
	nextInMs: number;
}

/**
 * When a poll that begins now must end: some time before the next one is due, and when n8n gives up on it, if n8n says so.
 *
 * @param lastIntervalMs how long ago the last poll began, for poll times of which it cannot be said when they are next.
 */
export function pollTimeOf(
	context: IPollFunctions,
	lastIntervalMs = MINUTE_MS,
	now = new Date(),
): PollTime {
	const nextInMs = untilNextPoll(context, now) ?? lastIntervalMs;
	const untilRestMs = Math.max(nextInMs - REST_MS, SHORT_POLL_MS);
	const budgetMs = context.getPollBudgetMs?.() ?? Infinity;
	return { allowedMs: Math.min(untilRestMs, LONGEST_POLL_MS, budgetMs), nextInMs };
}

/** How long until n8n polls next, in milliseconds; undefined if the poll times do not say. */
function untilNextPoll(context: IPollFunctions, now: Date): number | undefined {
	const { item: times = [] } = context.getNodeParameter('pollTimes', {}) as {
		item?: TriggerTime[];
	};
	const timezone = context.getTimezone();
	const next = times.flatMap((time) => nextOf(time, timezone, now) ?? []);
	return next.length > 0 ? Math.min(...next) - now.getTime() : undefined;
}

/**
 * When n8n polls next because of one of the poll times, in milliseconds since 1970. n8n adds a random second to a poll time,
 * and a random minute to one of every few hours (n8n 1.123 and 2.40). If this poll belongs to that time, they are the
 * current second and minute; otherwise they may be 0.
 */
function nextOf(time: TriggerTime, timezone: string, now: Date): number | undefined {
	const nextAfter = (at: number, { second, minute }: { second: string; minute: string }) => {
		const fields = toCronExpression(time).split(/\s+/);
		if (fields.length === 5) fields.unshift('0');
		else if (time.mode !== 'custom') fields[0] = second;
		if (time.mode === 'everyX' && time.unit === 'hours') fields[1] = minute;
		return nextTime(fields, timezone, at);
	};
	const part = (name: 'second' | 'minute') =>
		now.toLocaleString('en', { [name]: 'numeric', timeZone: timezone });
	const current = { second: part('second'), minute: part('minute') };
	const thisSecond = now.getTime() - now.getMilliseconds();
	const isPollOfNow = nextAfter(thisSecond - 1, current) === thisSecond;
	const soonest = now.getTime() + EARLY_MS;
	return nextAfter(soonest, isPollOfNow ? current : { second: '0', minute: '0' });
}
