import { MINUTE_MS } from '../utils/time';
import type { Queue, Slot } from './queue';

interface EndedSlot {
	slot: Slot;
	endedAt: number;
	/** Whether the service has allowed the request: false after a 429, or without a response. */
	isAllowed: boolean;
}

/** The slots that count against the rate of an account: those in flight, and those that ended in the last minute. */
export class HeldSlots {
	private readonly inFlight = new Set<Slot>();
	/** The first one expires first. */
	private readonly ended: EndedSlot[] = [];
	private readonly heldByQueue = new WeakMap<Queue, number>();
	/** How many slots are held by polls that nobody waits for. */
	heldByPolls = 0;
	/** How many requests the service has allowed in the last minute. */
	allowedLastMinute = 0;

	/** Adds a slot in flight. */
	grant(queue: Queue, now: number): Slot {
		const slot = { queue, sentAt: now };
		this.inFlight.add(slot);
		this.count(slot, 1);
		return slot;
	}

	/** Ends a slot in flight. @returns false for one that has ended. */
	end(slot: Slot, isAllowed: boolean, now: number): boolean {
		const isInFlight = this.inFlight.delete(slot);
		if (isInFlight) this.ended.push({ slot, endedAt: now, isAllowed });
		if (isInFlight && isAllowed) this.allowedLastMinute += 1;
		return isInFlight;
	}

	/** Drops a slot in flight. Ignores one that has ended. */
	release(slot: Slot): void {
		if (this.inFlight.delete(slot)) this.count(slot, -1);
	}

	/** Drops the slots that ended a minute ago. The limiter calls it before it counts slots. */
	expire(now: number): void {
		while (this.ended[0] && this.ended[0].endedAt + MINUTE_MS <= now) {
			const { slot, isAllowed } = this.ended.shift() as EndedSlot;
			this.count(slot, -1);
			if (isAllowed) this.allowedLastMinute -= 1;
		}
	}

	private count({ queue }: Slot, change: 1 | -1): void {
		this.heldByQueue.set(queue, this.heldBy(queue) + change);
		if (queue.owner === 'poll') this.heldByPolls += change;
	}

	get size(): number {
		return this.inFlight.size + this.ended.length;
	}

	heldBy(queue: Queue): number {
		return this.heldByQueue.get(queue) ?? 0;
	}

	listInFlight(): Slot[] {
		return [...this.inFlight];
	}

	/**
	 * Returns in how many milliseconds this many slots have expired, if the requests in flight ended now: with slots that ended 50 and
	 * 20 seconds ago and one in flight, 10, 40 and 60 seconds for 1, 2 and 3.
	 */
	msUntilExpired(count: number, now: number): number {
		const last = this.ended[Math.min(count, this.size) - 1];
		return count > 0 && this.size > 0 ? (last?.endedAt ?? now) + MINUTE_MS - now : 0;
	}
}
