import { SECOND_MS } from '../utils/time';

/** A queue that sends evenly makes up for this time at most. It is several ticks of the limiter, for rates of thousands. */
const MAX_CATCH_UP_MS = SECOND_MS;

/**
 * | Owner           | Its requests                                              | How the limiter treats them                         |
 * | --------------- | --------------------------------------------------------- | --------------------------------------------------- |
 * | login           | One login or credential test                              | First: all other requests may be waiting for it     |
 * | execution       | Those of one execution                                    | Evenly, if they need more slots than are free       |
 * | httpNode        | Those of all HTTP Request nodes with the same rate        | Like an execution                                   |
 * | poll            | Those of a poll that nobody waits for                     | The same, and all polls hold half the slots at most |
 * | interactivePoll | Those of a poll that a person waits for, half a minute    | As slots become free                                |
 */
export type QueueOwner = 'login' | 'execution' | 'httpNode' | 'poll' | 'interactivePoll';

/**
 * Why requests wait: for the rate that a credential allows, after a 429 in the pause or at the reduced rate, or because the service
 * is down and asks to send nothing.
 */
export type WaitReason = 'rate' | 'cooldown' | 'reducedRate' | 'unavailable';

/** The right to send one request. */
export interface Slot {
	readonly queue: Queue;
	readonly sentAt: number;
}

/** A request that waits for a slot. Times are those of the limiter's clock. */
export interface Waiter {
	/** Until when it may wait. */
	readonly deadline: number;
	/** Ends the wait, without a slot if there is none in time. */
	settle(slot?: Slot): void;
}

/**
 * The requests of one execution, one poll, one login, or all HTTP Request nodes whose credentials have the same rate.
 *
 * It owns the requests that wait, and how long they have waited. It does not know other queues: the limiter compares them.
 */
export class Queue {
	/** How many requests it has in all, as far as is known. */
	announced = 0;
	/** How long the limiter has held it up, in milliseconds. Waiting for responses does not count. */
	readonly waited: Record<WaitReason, number> = {
		rate: 0,
		cooldown: 0,
		reducedRate: 0,
		unavailable: 0,
	};
	private maxWaitMs = Infinity;
	/** The first one is sent next. */
	private readonly waiting = new Set<Waiter>();
	/** When its last request was due, if it sends evenly. */
	private dueAt = -Infinity;

	/**
	 * @param requestsPerMinute the rate that its credential allows.
	 * @param credentialName for messages.
	 */
	constructor(
		readonly owner: QueueOwner,
		readonly requestsPerMinute: number,
		readonly credentialName?: string,
	) {}

	/** Announces how many requests are to be sent, and how long the limiter may hold them up in all. */
	announce(requests: number, maxWaitMs = Infinity): void {
		this.announced = requests;
		this.maxWaitMs = maxWaitMs;
	}

	/** How many requests wait. */
	get length(): number {
		return this.waiting.size;
	}

	add(waiter: Waiter): void {
		this.waiting.add(waiter);
	}

	remove(waiter: Waiter): void {
		this.waiting.delete(waiter);
	}

	/** Removes the request that is sent next. */
	next(): Waiter {
		const next = this.waiting.values().next().value as Waiter;
		this.remove(next);
		return next;
	}

	/** Whether it sends evenly if it needs more slots than are free, so that others do not have to wait until these expire. */
	get maySendEvenly(): boolean {
		return this.owner !== 'login' && this.owner !== 'interactivePoll' && this.maxWaitMs > 0;
	}

	/** Returns whether its next request is due, if it sends evenly. */
	isDue(now: number, intervalMs: number): boolean {
		return this.dueAt + intervalMs <= now;
	}

	/** Records a request that is sent evenly. If it was late, the next ones make up for that. */
	recordSentEvenly(now: number, intervalMs: number): void {
		this.dueAt = Math.max(this.dueAt + intervalMs, now - MAX_CATCH_UP_MS);
	}

	/** How long the limiter has held it up in all. */
	get waitedMs(): number {
		return this.pausedMs + this.waited.rate + this.waited.reducedRate;
	}

	/** How much of that nothing was sent, because the service had asked for it. */
	get pausedMs(): number {
		return this.waited.cooldown + this.waited.unavailable;
	}

	/** Returns whether a request has waited as long as it may, or will have after a pause. */
	isOverdue({ deadline }: Waiter, now: number, pauseMs: number): boolean {
		return this.waitedMs + pauseMs > this.maxWaitMs || deadline <= now + pauseMs;
	}

	/** Returns the requests that are {@link isOverdue}. */
	listOverdue(now: number, pauseMs: number): Waiter[] {
		return [...this.waiting].filter((waiter) => this.isOverdue(waiter, now, pauseMs));
	}
}
