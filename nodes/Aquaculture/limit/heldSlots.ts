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
 * | failed    | a 429, or no response                                                          | it expires in a minute  |
 *
 * Time passes only in {@link expire}. The limiter calls it before each change, so that the slots end in order.
 */
export class HeldSlots {
	/** In the order in which they were granted. */
	private inFlight: Slot[] = [];
	/** In the order in which they ended, so the first one expires first. */
	private allowed: Slot[] = [];
	private failed: Slot[] = [];
	/** The same slots again, so that a grant does not look at all of them: 10,000 are held at the highest rate. */
	private byHolder = new Map<Queue | QueueKind, Slot[]>();
	/** When the latest of the requests was sent that the service has allowed. */
	lastAllowedSentAt = -Infinity;

	/** Adds a slot in flight. */
	grant(queue: Queue, now: number): Slot {
		const { assumedResponseMs = Infinity } = queue.kind;
		const slot = { queue, sentAt: now, endedAt: now + assumedResponseMs };
		this.inFlight.push(slot);
		for (const holder of [queue, queue.kind]) {
			this.byHolder.set(holder, this.byHolder.get(holder) ?? []);
			this.byHolder.get(holder)?.push(slot);
		}
		return slot;
	}

	/** Ends a slot in flight. Ignores one that has ended, because its response was assumed to have come. */
	end(slot: Slot, isAllowed: boolean, now: number): void {
		if (!remove(this.inFlight, slot)) return;
		slot.endedAt = now;
		if (isAllowed) this.allow(slot);
		else this.failed.push(slot);
	}

	/** Drops a slot in flight. @returns false if it is not in flight. */
	release(slot: Slot): boolean {
		const isRemoved = remove(this.inFlight, slot);
		if (isRemoved) this.drop(slot);
		return isRemoved;
	}

	/** Ends the slots whose responses are assumed to have come, and drops those that ended a minute ago. */
	expire(now: number): void {
		for (const slot of this.inFlight.filter(({ endedAt }) => endedAt <= now)) {
			remove(this.inFlight, slot);
			this.allow(slot);
		}
		for (const ended of [this.allowed, this.failed]) {
			while (ended[0] && ended[0].endedAt + MINUTE_MS <= now) this.drop(ended.shift() as Slot);
		}
	}

	private allow(slot: Slot): void {
		this.allowed.push(slot);
		this.lastAllowedSentAt = Math.max(this.lastAllowedSentAt, slot.sentAt);
	}

	private drop(slot: Slot): void {
		for (const holder of [slot.queue, slot.queue.kind]) {
			const slots = this.byHolder.get(holder) ?? [];
			remove(slots, slot);
			if (slots.length === 0) this.byHolder.delete(holder);
		}
	}

	/** Returns the slots of a queue or a kind of queues, in the order in which they were granted. */
	heldBy(holder: Queue | QueueKind): readonly Slot[] {
		return this.byHolder.get(holder) ?? [];
	}

	get size(): number {
		return this.inFlight.length + this.allowed.length + this.failed.length;
	}

	get allowedLastMinute(): number {
		return this.allowed.length;
	}

	/** Returns how many of the requests in flight were sent after this time. */
	countInFlight(after: number): number {
		return this.inFlight.filter(({ sentAt }) => sentAt > after).length;
	}

	/** Returns the queue of each request in flight. */
	queuesInFlight(): Queue[] {
		return this.inFlight.map(({ queue }) => queue);
	}

	/** Returns when the slots expire, in order, if the requests in flight ended now. */
	expiryTimes(now: number): number[] {
		const ended = [...this.allowed, ...this.failed].map(({ endedAt }) => endedAt);
		const times = [...ended, ...this.inFlight.map(() => now)].map((time) => time + MINUTE_MS);
		return times.sort((a, b) => a - b);
	}

	/** Returns a copy as of this time. It lets questions be answered without changing anything. */
	at(time: number): HeldSlots {
		const copy = new HeldSlots();
		copy.inFlight = [...this.inFlight];
		copy.allowed = [...this.allowed];
		copy.failed = [...this.failed];
		copy.byHolder = new Map([...this.byHolder].map(([holder, slots]) => [holder, [...slots]]));
		copy.lastAllowedSentAt = this.lastAllowedSentAt;
		copy.expire(time);
		return copy;
	}
}

function remove(slots: Slot[], slot: Slot): boolean {
	const index = slots.indexOf(slot);
	if (index >= 0) slots.splice(index, 1);
	return index >= 0;
}
