import { MINUTE_MS } from '../utils/time';
import type { Queue, Slot } from './queue';
import type { QueueKind } from './queueKinds';

/**
 * Holds the slots that count against the rate of an account.
 *
 * | A slot is | after                                                                          | until                   |
 * | --------- | ------------------------------------------------------------------------------ | ----------------------- |
 * | in flight | `grant`                                                                        | it ends, or `release`   |
 * | allowed   | a response other than a 429, or the time in which one is assumed to have come  | it expires in a minute  |
 * | failed    | a 429, no response, or a failure of an HTTP Request node within two seconds    | it expires in a minute  |
 *
 * Time passes only in {@link expire}. The limiter calls it first, so that the slots end in order.
 */
export class HeldSlots {
	private readonly inFlight = new Set<Slot>();
	/** In the order in which they ended, so the first one expires first. */
	private readonly allowed: Slot[] = [];
	private readonly failed: Slot[] = [];
	/** How many slots a queue or a kind of queues holds: counting them anew for each grant would take long at the highest rate. */
	private readonly counts = new WeakMap<Queue | QueueKind, number>();
	/** When the latest of the requests was sent that the service has allowed. */
	lastAllowedSentAt = -Infinity;

	/** Adds a slot in flight. */
	grant(queue: Queue, now: number): Slot {
		const { assumedResponseMs = Infinity } = queue.kind;
		const slot = { queue, sentAt: now, endedAt: now + assumedResponseMs };
		this.inFlight.add(slot);
		this.count(slot, 1);
		return slot;
	}

	/** Ends a slot in flight. Ignores one that has ended, because its response was assumed to have come. */
	end(slot: Slot, isAllowed: boolean, endedAt: number): void {
		if (!this.inFlight.delete(slot)) return;
		slot.endedAt = endedAt;
		const ended = isAllowed ? this.allowed : this.failed;
		ended.push(slot);
		if (isAllowed) this.lastAllowedSentAt = Math.max(this.lastAllowedSentAt, slot.sentAt);
	}

	/** Drops a slot in flight. Ignores one that has ended. */
	release(slot: Slot): void {
		if (this.inFlight.delete(slot)) this.count(slot, -1);
	}

	/** Ends the slots whose responses are assumed to have come, and drops those that ended a minute ago. */
	expire(now: number): void {
		for (const slot of this.inFlight) {
			if (slot.endedAt <= now) this.end(slot, true, slot.endedAt);
		}
		for (const ended of [this.allowed, this.failed]) {
			while (ended[0] && ended[0].endedAt + MINUTE_MS <= now) this.count(ended.shift() as Slot, -1);
		}
	}

	private count({ queue }: Slot, change: 1 | -1): void {
		for (const holder of [queue, queue.kind]) {
			this.counts.set(holder, this.heldBy(holder) + change);
		}
	}

	/** Returns how many slots a queue or a kind of queues holds. */
	heldBy(holder: Queue | QueueKind): number {
		return this.counts.get(holder) ?? 0;
	}

	get size(): number {
		return this.inFlight.size + this.allowed.length + this.failed.length;
	}

	get allowedLastMinute(): number {
		return this.allowed.length;
	}

	listInFlight(): Slot[] {
		return [...this.inFlight];
	}

	/** Returns when the slots expire, in order, if the requests in flight ended now. */
	expiryTimes(now: number): number[] {
		const ended = [...this.allowed, ...this.failed].map(({ endedAt }) => endedAt);
		const times = [...ended, ...[...this.inFlight].map(() => now)].map((time) => time + MINUTE_MS);
		return times.sort((a, b) => a - b);
	}
}
