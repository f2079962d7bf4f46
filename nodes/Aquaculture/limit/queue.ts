import { SECOND_MS } from '../utils/time';

/** A paced queue that is late catches up, for this time at most: at rates of thousands, many requests are due in a tick of the limiter. */
const MAX_CATCH_UP_MS = SECOND_MS;

/** Whose requests a queue contains. */
export type QueueOwner =
	/** A login or credential test. */
	| 'login'
	/** An execution. */
	| 'execution'
	/** All HTTP Request nodes whose credentials have the same rate. */
	| 'httpNode'
	/** A poll that nobody waits for. */
	| 'poll'
	/** A poll that a person waits for, for half a minute. */
	| 'interactivePoll';

/** Why requests wait for slots. */
export type WaitReason =
	/** As many requests were sent as the credential allows in a minute, or as its pace allows by now. */
	| 'rate'
	/** The service refused a request with 429, so nothing is sent, or less than the credential allows: see `Cooldown`. */
	| 'refusals';

/** The right to send one request. */
export interface Slot {
	readonly queue: Queue;
	readonly sentAt: number;
}

/** A request that waits for a slot. */
export interface Waiter {
	/** Until when it may wait, by the limiter's clock. */
	readonly deadline: number;
	/** Ends the wait, without a slot if there is none in time. */
	settle(slot?: Slot): void;
}

/**
 * The requests of one owner that wait.
 *
 * A queue owns three things: the requests that wait, how long they have been held up, and the pace at which they are sent. It knows
 * neither other queues nor which slots are held: `RateLimiter` decides when a request is sent, and `HeldSlots` counts those that were.
 */
export class Queue {
	/** How many requests it is to send in all, as announced. */
	totalRequests = 0;
	/** How many slots it has got, including those that were given back. A request that is sent again gets another one. */
	private grantedSlots = 0;
	/** How long the limiter may hold it up in all. */
	maxWaitMs = Infinity;
	/** The requests that wait, the first one longest. */
	readonly waiting = new Set<Waiter>();
	/** How long the limiter has held it up, in milliseconds. Waiting for responses does not count. */
	readonly waited: Record<WaitReason, number> = { rate: 0, refusals: 0 };
	/** When its last paced request was due. */
	private lastDueAt = -Infinity;

	/** @param requestsPerMinute the rate that its credential allows. */
	constructor(
		readonly owner: QueueOwner,
		readonly requestsPerMinute: number,
	) {}

	/** Announces how many requests are to be sent, and how long the limiter may hold them up in all. */
	announce(requests: number, maxWaitMs = Infinity): void {
		this.totalRequests = requests;
		this.maxWaitMs = maxWaitMs;
	}

	/** Removes the request that has waited longest. There must be one. */
	takeNext(): Waiter {
		const next = this.waiting.values().next().value as Waiter;
		this.waiting.delete(next);
		this.grantedSlots += 1;
		return next;
	}

	/** How many requests it still has to send: those that wait, at least. */
	get unsentRequests(): number {
		return Math.max(this.totalRequests - this.grantedSlots, this.waiting.size);
	}

	/** How long the limiter has held it up in all. */
	get waitedMs(): number {
		return this.waited.rate + this.waited.refusals;
	}

	/** Returns whether a request has waited as long as it may, or will have after a pause. */
	isOverdue({ deadline }: Waiter, now: number, pauseMs: number): boolean {
		return this.waitedMs + pauseMs > this.maxWaitMs || deadline <= now + pauseMs;
	}

	/** Returns whether its next request is due at this pace. @param paceMs the time between two requests. */
	isDue(now: number, paceMs: number): boolean {
		return this.lastDueAt + paceMs <= now;
	}

	/** Records a paced request that is sent now. If it was due earlier, the next ones catch up. */
	recordPaced(now: number, paceMs: number): void {
		this.lastDueAt = Math.max(this.lastDueAt + paceMs, now - MAX_CATCH_UP_MS);
	}
}
