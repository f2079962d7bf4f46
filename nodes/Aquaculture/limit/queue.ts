import { Pacer } from './pacer';
import type { QueueKind } from './queueKinds';

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
 * It owns the requests that wait, how many are still to come, and how long they have waited. It does not know other queues:
 * `GrantPolicy` compares them.
 */
export class Queue {
	/** How long the limiter has held it up, in milliseconds. Waiting for responses does not count. */
	waitedMs = 0;
	/** How much of it was because the service had refused requests. */
	private waitedAfterRefusalsMs = 0;
	/** For requests that are sent evenly. */
	readonly pacer = new Pacer();
	/** The first one is sent next. */
	private readonly waiting = new Set<Waiter>();
	/** How many slots are announced and not granted yet; below 0 for requests that nobody announces, such as logins. */
	private announced = 0;
	private maxWaitMs = Infinity;
	private lastSentAt = -Infinity;

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
		this.announced = requests;
		this.maxWaitMs = maxWaitMs;
	}

	/** Announces that a request needs another slot: otherwise a long execution with many retries would no longer send evenly. */
	needsAnotherSlot(): void {
		this.announced += 1;
	}

	/** How many slots it still needs, as far as is known. */
	get demand(): number {
		return Math.max(1, this.announced, this.length);
	}

	/** How many requests wait. */
	get length(): number {
		return this.waiting.size;
	}

	/** Whether its requests may wait for the limiter at all. */
	get mayWait(): boolean {
		return this.maxWaitMs > 0;
	}

	/** Adds a time for which the limiter has held it up. @param isAfterRefusal whether because of a 429. */
	recordWait(milliseconds: number, isAfterRefusal: boolean): void {
		this.waitedMs += milliseconds;
		if (isAfterRefusal) this.waitedAfterRefusalsMs += milliseconds;
	}

	/** Whether it has waited mostly because the service had refused requests. */
	get wasSlowedByRefusals(): boolean {
		return this.waitedAfterRefusalsMs > this.waitedMs / 2;
	}

	add(waiter: Waiter): void {
		this.waiting.add(waiter);
	}

	remove(waiter: Waiter): void {
		this.waiting.delete(waiter);
	}

	/** Removes the request that is sent next. */
	next(now: number): Waiter {
		this.announced -= 1;
		this.lastSentAt = now;
		const next = this.waiting.values().next().value as Waiter;
		this.remove(next);
		return next;
	}

	/** Returns for how long its next request has waited while no other one of the queue was sent. */
	unservedMs(now: number): number {
		const [next] = this.waiting;
		return next ? now - Math.max(next.since, this.lastSentAt) : 0;
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
