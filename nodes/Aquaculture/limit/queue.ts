import { MINUTE_MS } from '../utils/time';

/** The right to send one request. It is in use until a minute after the response. */
export interface Slot {
	readonly queue: Queue;
	readonly sentAt: number;
	/** Infinity while the request is in flight; an estimate if the response is unreported. */
	answeredAt: number;
	isAccepted: boolean;
}

/** A person waits for an attended poll, which takes half a minute at most. */
export type QueueKind = 'execution' | 'poll' | 'attendedPoll' | 'login';

/** A request that needs a slot. */
export interface SlotRequest {
	queue: Queue;
	/** Until when it may wait, by the limiter's clock. */
	deadline?: number | undefined;
	/** Cancels the wait. */
	signal?: AbortSignal | undefined;
	/** Whether it jumps its queue. */
	jumpsQueue?: boolean;
	/** Whether the response is never reported, as for HTTP Request nodes. */
	isUnreported?: boolean;
}

export type Waiter = SlotRequest & { since: number; settle(slot?: Slot): void };

/** The requests of one execution, one poll, one login, or all HTTP Request nodes whose credentials have the same rate. */
export class Queue {
	readonly waiting: Waiter[] = [];
	/** How many requests are still to be sent, if that is known. */
	remaining = 0;
	/** How long the limiter has held up the queue. Waiting for answers does not count. */
	waitedMs = 0;
	/** How long the limiter may hold it up in all. */
	maxWaitMs = Infinity;
	/** A token bucket for pacing: the tokens that were left when the queue last took one. */
	private tokens = 0;
	private tokenTakenAt = -Infinity;

	/**
	 * @param requestsPerMinute the rate that its credential allows; Infinity for no limit.
	 * @param credentialName for messages.
	 */
	constructor(
		readonly kind: QueueKind,
		readonly requestsPerMinute: number,
		readonly credentialName?: string,
	) {}

	get demand(): number {
		return Math.max(1, this.remaining, this.waiting.length);
	}

	/** Removes the request that is sent next. */
	shift(): Waiter {
		this.remaining -= 1;
		return this.waiting.shift() as Waiter;
	}

	/** Returns whether its next request is due if it sends at a pace. */
	isDue(now: number, pace: Pace): boolean {
		return this.tokensAt(now, pace) >= 1;
	}

	/** Counts a request that is sent at a pace. */
	takeToken(now: number, pace: Pace): void {
		this.tokens = this.tokensAt(now, pace) - 1;
		this.tokenTakenAt = now;
	}

	private tokensAt(now: number, { perMinute, burst }: Pace): number {
		return Math.min(burst, this.tokens + ((now - this.tokenTakenAt) * perMinute) / MINUTE_MS);
	}
}

/** How fast a queue sends if it sends evenly. */
export interface Pace {
	perMinute: number;
	/** How many requests it may send at once after a pause. */
	burst: number;
}
