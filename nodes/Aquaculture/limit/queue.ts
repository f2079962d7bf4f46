import { MINUTE_MS } from '../utils/time';
import type { Pace, QueueKind } from './queueKinds';

/** The right to send one request. It is in use until a minute after the response. */
export interface Slot {
	readonly queue: Queue;
	readonly sentAt: number;
	/** When the response came, or is assumed to come; Infinity while the request is in flight. */
	endedAt: number;
	/** Whether the response, once it has come, is anything but a 429. */
	isAllowed: boolean;
}

/** A request that needs a slot. */
export interface SlotRequest {
	queue: Queue;
	/** Until when it may wait, by the limiter's clock. */
	deadline?: number | undefined;
	/** Cancels the wait. */
	signal?: AbortSignal | undefined;
	/** Whether it goes before the other requests of its queue. */
	jumpsQueue?: boolean;
}

export type Waiter = SlotRequest & { since: number; settle(slot?: Slot): void };

/** The requests of one execution, one poll, one login, or all HTTP Request nodes whose credentials have the same rate. */
export class Queue {
	readonly waiting: Waiter[] = [];
	private remaining = 0;
	private heldUpMs = 0;
	private mayWaitMs = Infinity;
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
		this.mayWaitMs = maxWaitMs;
	}

	/** Announces that a request needs another slot. */
	needsAnotherSlot(): void {
		this.remaining += 1;
	}

	/** How many slots it still needs, as far as is known. */
	get demand(): number {
		return Math.max(1, this.remaining, this.waiting.length);
	}

	/** Returns whether its next request is due. @param pace if it sends evenly. */
	isDue(now: number, pace: Pace | undefined): boolean {
		return !pace || this.tokensAt(now, pace) >= 1;
	}

	/** Removes the request that is sent next. @param pace if it sends evenly. */
	take(now: number, pace: Pace | undefined): Waiter {
		if (pace) {
			this.tokens = this.tokensAt(now, pace) - 1;
			this.tokenTakenAt = now;
		}
		this.remaining -= 1;
		return this.waiting.shift() as Waiter;
	}

	private tokensAt(now: number, { perMinute, burst }: Pace): number {
		return Math.min(burst, this.tokens + ((now - this.tokenTakenAt) * perMinute) / MINUTE_MS);
	}

	/** Counts time for which the limiter has held it up. Waiting for answers does not count. */
	countWait(ms: number): void {
		this.heldUpMs += ms;
	}

	get waitedMs(): number {
		return this.heldUpMs;
	}

	get maxWaitMs(): number {
		return this.mayWaitMs;
	}
}
