import { MINUTE_MS, SECOND_MS } from '../utils/time';
import type { Pace, Queue } from './queue';

/*
 * Which request may be sent next. Each policy is a function of what is in use, which is passed to it.
 *
 * 1. Slow start: `maxInFlight`
 * 2. Shares: `availableSlots`
 * 3. Pacing: `isPaced`, `getPace`
 * 4. Order: `rank`, `isStarved`
 */

/** An execution that has waited this long, or twice the time between its requests, jumps the queue. */
const STARVED_MS = 5 * SECOND_MS;
/** Share of the rate that only logins may use. */
const LOGIN_SHARE = 0.02;
/** Share of the rate that a paced execution leaves to others. */
const HEADROOM_SHARE = 0.07;

/** How much of the rate is in use. */
export interface Usage {
	now: number;
	/** The queue with the lowest rate of those that wait or are in flight. */
	strictest: Queue | undefined;
	/** Requests a minute, after a 429 too; Infinity if there is no limit. */
	rate: number;
	/** Slots that are free. */
	free: number;
	inFlight: number;
	acceptedLastMinute: number;
	/** Whether one request goes alone, after a cooldown. */
	isProbing: boolean;
	/** The slots of all polls. */
	heldByPolls: number;
	/** The slots of each queue. */
	held: ReadonlyMap<Queue, number>;
	/** When each queue sent a request last. */
	lastSentAt: ReadonlyMap<Queue, number>;
}

/**
 * Slow start: at most one request more is in flight than were accepted in the last minute, and at most a tenth of the rate. So
 * if other programs have used up the minute, only one request is refused.
 */
export function maxInFlight({ rate, acceptedLastMinute, isProbing }: Usage): number {
	if (isProbing) return 1;
	if (rate === Infinity) return Infinity;
	return Math.min(acceptedLastMinute + 1, Math.max(1, Math.floor(rate / 10)));
}

/** Returns how many slots only logins may use. */
export function loginReserve(rate: number): number {
	return rate === Infinity ? 0 : Math.floor(LOGIN_SHARE * rate);
}

/** Returns how many slots all polls may hold together. */
function pollShare(rate: number): number {
	return Math.max(1, Math.floor(rate / 2));
}

/** Shares: returns how many slots are free for a queue. */
export function availableSlots({ kind }: Queue, { rate, free, heldByPolls }: Usage): number {
	if (kind === 'login') return free;
	const unreserved = free - loginReserve(rate);
	return kind === 'poll' ? Math.min(unreserved, pollShare(rate) - heldByPolls) : unreserved;
}

/**
 * Pacing: a queue that needs more than a quarter of the rate, and more than is available to it, sends evenly, so that others
 * find a free slot at any time. One that cannot wait, or has waited too long, takes every free slot.
 */
export function isPaced(queue: Queue, usage: Usage): boolean {
	if (queue.kind === 'login' || queue.kind === 'attendedPoll') return false;
	if (queue.maxWaitMs === 0 || isStarved(queue, usage)) return false;
	const needed = queue.demand + (usage.held.get(queue) ?? 0);
	return needed > usage.rate / 4 && queue.demand > availableSlots(queue, usage);
}

/** Pacing: an execution leaves some slots to others; a poll, which ends soon, begins with a quarter of the rate. */
export function getPace({ kind }: Queue, { rate }: Usage): Pace {
	return kind === 'poll'
		? { perMinute: pollShare(rate), burst: Math.max(1, rate / 4) }
		: { perMinute: executionPace(rate), burst: 2 };
}

/** Returns how many requests a minute a long execution sends. At a low rate it leaves no whole slot. */
function executionPace(rate: number): number {
	return rate === Infinity ? Infinity : rate - Math.floor(HEADROOM_SHARE * rate);
}

/**
 * Order: logins go first, then starved executions, then the queue that holds the fewest slots. A poll counts as if it held a
 * tenth of the rate more.
 */
export function rank(queue: Queue, usage: Usage): number {
	if (queue.kind === 'login') return -2;
	if (isStarved(queue, usage)) return -1;
	return (usage.held.get(queue) ?? 0) + (queue.kind === 'poll' ? usage.rate / 10 : 0);
}

/** Order: whether many short executions have held up this one for too long. */
function isStarved(queue: Queue, { now, rate, lastSentAt }: Usage): boolean {
	if (queue.kind !== 'execution') return false;
	const waitingSince = Math.max(queue.waiting[0]?.since ?? now, lastSentAt.get(queue) ?? -Infinity);
	const intervalMs = MINUTE_MS / executionPace(rate);
	return now - waitingSince >= Math.max(STARVED_MS, 2 * intervalMs);
}
