import { MINUTE_MS } from '../utils/time';
import type { Pace, QueueKind } from './queueKinds';

/** The right to send one request. */
export interface Slot {
	readonly queue: Queue;
	readonly sentAt: number;
	/** When the response came, or is assumed to come; Infinity while that is unknown. */
	endedAt: number;
}

/** A request that waits for a slot. Times are those of the limiter's clock. */
export interface Waiter {
	readonly since: number;
	/** Until when it may wait. */
	readonly deadline: number;
	/** Ends the wait, without a slot if there is none in time. */
	settle(slot?: Slot): void;
}

/**
 * The requests of one execution, one poll, one login, or all HTTP Request nodes whose credentials have the same rate.
 *
 * It owns the requests that wait, the time that they have waited, and its token bucket. It does not know other queues:
 * `GrantPolicy` compares them.
 */
export class Queue {
	/** How long the limiter has held it up, in milliseconds. Waiting for responses does not count. */
	waitedMs = 0;
	private waiting: Waiter[] = [];
	private remaining = 0;
	private maxWaitMs = Infinity;
	/** A token bucket for pacing: the tokens that were left when the queue last took one. */
	private tokens = 0;
	private tokenTakenAt = -Infinity;

	/**
	 * @param requestsPerMinute the rate that its credential allows.
	 * @param credentialName for messages.
	 */
	constructor(
		readonly kind: QueueKind,
		readonly requestsPerMinute: number,
		readonly credentialName?: string,
	) {}

	/** Announces how many requests are to be sent, and how long the limiter may hold them up in all. */
	expect(requests: number, maxWaitMs = Infinity): void {
		this.remaining = requests;
		this.maxWaitMs = maxWaitMs;
	}

	/** Announces that a request needs another slot. */
	needsAnotherSlot(): void {
		this.remaining += 1;
	}

	/** How many slots it still needs, as far as is known. */
	get demand(): number {
		return Math.max(1, this.remaining, this.waiting.length);
	}

	/** How many requests wait. */
	get length(): number {
		return this.waiting.length;
	}

	/** Whether its requests may wait for the limiter at all. */
	get mayWait(): boolean {
		return this.maxWaitMs > 0;
	}

	/** Adds a request at the end, or at the front. */
	add(waiter: Waiter, isFirst: boolean): void {
		if (isFirst) this.waiting.unshift(waiter);
		else this.waiting.push(waiter);
	}

	/** Ends a wait without a slot. */
	cancel(waiter: Waiter): void {
		this.waiting = this.waiting.filter((each) => each !== waiter);
		waiter.settle();
	}

	/** Removes the request that is sent next. @param pace if it sends evenly. */
	next(now: number, pace: Pace | undefined): Waiter {
		if (pace) {
			this.tokens = this.tokensAt(now, pace) - 1;
			this.tokenTakenAt = now;
		}
		this.remaining -= 1;
		return this.waiting.shift() as Waiter;
	}

	/** Returns whether its next request is due. @param pace if it sends evenly. */
	isDue(now: number, pace: Pace | undefined): boolean {
		return !pace || this.tokensAt(now, pace) >= 1;
	}

	private tokensAt(now: number, { perMinute, burst }: Pace): number {
		return Math.min(burst, this.tokens + ((now - this.tokenTakenAt) * perMinute) / MINUTE_MS);
	}

	/** Since when its next request has waited; undefined if none waits. */
	get waitingSince(): number | undefined {
		return this.waiting[0]?.since;
	}

	/** Counts time for which the limiter has held it up. */
	countWait(ms: number): void {
		this.waitedMs += ms;
	}

	/** Returns whether a request has waited as long as it may, or will have after a pause. */
	isOverdue({ deadline }: Waiter, now: number, pauseMs: number): boolean {
		return this.waitedMs + pauseMs > this.maxWaitMs || deadline <= now + pauseMs;
	}

	/** Ends the waits that {@link isOverdue}. */
	endOverdue(now: number, pauseMs: number): void {
		const overdue = this.waiting.filter((waiter) => this.isOverdue(waiter, now, pauseMs));
		if (overdue.length === 0) return;
		this.waiting = this.waiting.filter((waiter) => !this.isOverdue(waiter, now, pauseMs));
		for (const { settle } of overdue) settle();
	}
}
