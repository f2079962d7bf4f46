import { MINUTE_MS } from '../utils/time';

/** A request that was sent. It counts until a minute after its answer. */
export interface Slot {
	readonly queue: Queue;
	readonly sentAt: number;
	/** Infinity while it is in flight; in the future if nobody will report the answer. */
	answeredAt: number;
	isAccepted: boolean;
}

/** A person waits for an attended poll, for half a minute at most. */
export type QueueKind = 'execution' | 'poll' | 'attendedPoll' | 'login';

/** A request that needs a slot. */
export interface SlotRequest {
	queue: Queue;
	/** Until when it may wait, by the limiter's clock. */
	deadline?: number | undefined;
	/** Cancels the wait. */
	signal?: AbortSignal | undefined;
	/** Whether it goes before the others of its queue. */
	goesFirst?: boolean;
	/** Whether nobody will report the answer. */
	responseUnseen?: boolean;
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
	/** A token bucket for pacing: how many requests it may send now, as of the last refill. */
	private credit = 0;
	private refilledAt = -Infinity;

	/**
	 * @param requestsPerMinute the rate that its credential allows; Infinity for no limit.
	 * @param credential the name of the credential, for messages.
	 */
	constructor(
		readonly kind: QueueKind,
		readonly requestsPerMinute: number,
		readonly credential?: string,
	) {}

	get demand(): number {
		return Math.max(1, this.remaining, this.waiting.length);
	}

	/** Takes the request that is sent next. */
	shift(): Waiter {
		this.remaining -= 1;
		this.credit -= 1;
		return this.waiting.shift() as Waiter;
	}

	/** Whether its next request is due if it sends evenly after a burst. */
	isDue(now: number, { perMinute, burst }: Pace): boolean {
		const refill = ((now - this.refilledAt) * perMinute) / MINUTE_MS;
		this.credit = Math.min(burst, this.credit + refill);
		this.refilledAt = now;
		return this.credit >= 1;
	}
}

/** How fast a queue sends if it sends evenly. */
export interface Pace {
	perMinute: number;
	/** How many requests it may send at once after a pause. */
	burst: number;
}
