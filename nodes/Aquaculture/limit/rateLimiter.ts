import { systemClock, type Clock } from '../utils/clock';
import { Cooldown } from './cooldown';
import { GrantPolicy, type LimitState } from './grantPolicy';
import { HeldSlots } from './heldSlots';
import type { Queue, Slot, Waiter } from './queue';

/** Look this often whether waiting requests may be sent. */
const TICK_MS = 100;

/** A request that needs a slot. */
export interface SlotRequest {
	queue: Queue;
	/** Until when it may wait, by the limiter's clock. */
	deadline?: number | undefined;
	/** Cancels the wait. */
	signal?: AbortSignal | undefined;
}

/**
 * Decides when the requests of an account are sent, in this process: those of executions, polls, logins and HTTP Request
 * nodes. No 60 seconds contain more requests than 'Requests per Minute' allows. If credentials of the account differ, the lowest
 * rate applies while its requests wait or are in flight.
 *
 * ```
 * waiting ── GrantPolicy ──▶ in flight ── report… ──▶ ended ── a minute ──▶ expired
 *    └─ too long, cancelled     └─ release: not sent
 * ```
 *
 * A {@link Queue} owns the requests that wait, {@link HeldSlots} the slots in flight and ended. After a 429, {@link Cooldown}
 * pauses the account and reduces its rate. Time passes in two places: each call begins with {@link expireSlots}, and a tick
 * serves the requests that wait.
 */
export class RateLimiter {
	private readonly held = new HeldSlots();
	private readonly cooldown = new Cooldown();
	/** Queues with waiting requests, least recently served first. */
	private readonly queues = new Set<Queue>();
	private isTicking = false;
	/** How many requests the service has refused with 429, and since when they are counted. */
	readonly refused = { since: new Date(), requests: 0 };

	constructor(private readonly clock: Clock = systemClock) {}

	/** Waits until a request may be sent. @returns undefined if that takes too long, or if the wait is cancelled. */
	async acquire({ queue, deadline = Infinity, signal }: SlotRequest): Promise<Slot | undefined> {
		if (signal?.aborted) return undefined;
		return await new Promise((resolve) => {
			const now = this.expireSlots();
			const cancel = () => this.cancel(queue, waiter);
			const settle = (slot?: Slot) => {
				signal?.removeEventListener('abort', cancel);
				resolve(slot);
			};
			const waiter = { since: now, deadline, settle };
			signal?.addEventListener('abort', cancel);
			queue.add(waiter);
			this.queues.add(queue);
			this.grantSlots(now);
			// If it has a slot already, its promise is resolved, and this changes nothing.
			if (queue.isOverdue(waiter, now, this.cooldown.remainingMs(now))) cancel();
			void this.tick();
		});
	}

	/** While requests wait: grants slots, counts how long each queue is held up, and ends waits that take too long. */
	private async tick(): Promise<void> {
		if (this.isTicking) return;
		this.isTicking = true;
		while (this.queues.size > 0) {
			const before = this.clock.now();
			await this.clock.sleep(TICK_MS);
			const now = this.expireSlots();
			const policy = this.grantSlots(now);
			for (const queue of this.queues) {
				if (!policy.isReady(queue)) queue.recordWait(now - before, policy.limitCause !== 'rate');
			}
			this.endOverdueWaits(now);
		}
		this.isTicking = false;
	}

	/** Lets slots expire. Every call begins with this step. @returns the time now. */
	private expireSlots(): number {
		const now = this.clock.now();
		this.held.expire(now);
		return now;
	}

	/** Grants slots until no queue may send. @returns the policy, which says whether the other queues are ready. */
	private grantSlots(now: number): GrantPolicy {
		const policy = new GrantPolicy(now, this.cooldown, this.held, this.queues);
		for (let queue = policy.nextQueue(); queue; queue = policy.nextQueue()) {
			const pace = policy.pace(queue);
			if (pace) queue.pacer.recordSent(now, pace);
			const { settle } = queue.next(now);
			this.queues.delete(queue);
			if (queue.length > 0) this.queues.add(queue);
			settle(this.held.grant(queue, now));
		}
		return policy;
	}

	/** Ends waits that have taken as long as they may, or will have before the cooldown ends. */
	private endOverdueWaits(now: number): void {
		for (const queue of this.queues) {
			const overdue = queue.listOverdue(now, this.cooldown.remainingMs(now));
			for (const waiter of overdue) this.cancel(queue, waiter);
		}
	}

	private cancel(queue: Queue, waiter: Waiter): void {
		queue.remove(waiter);
		if (queue.length === 0) this.queues.delete(queue);
		waiter.settle();
	}

	/** Reports a response other than a 429; a 500 also shows that the service allowed the request. */
	reportAllowed(slot: Slot): void {
		const now = this.expireSlots();
		this.held.end(slot, true, now);
		this.grantSlots(now);
	}

	/**
	 * Reports a 429.
	 *
	 * @param askedMs how long the service asks to wait; undefined if it does not say.
	 * @returns whether a cooldown starts.
	 */
	reportRateLimited(slot: Slot, askedMs?: number): boolean {
		const now = this.expireSlots();
		this.held.end(slot, false, now);
		this.refused.requests += 1;
		const isStart = this.cooldown.reportRateLimited(slot, askedMs, this.held, now);
		this.endOverdueWaits(now);
		return isStart;
	}

	/** Reports a request without a response, or one of an HTTP Request node that failed: n8n hides the status. */
	reportFailed(slot: Slot): void {
		const now = this.expireSlots();
		this.held.end(slot, false, now);
		this.grantSlots(now);
	}

	/** Gives back the slot of a request that was not sent after all. */
	release(slot: Slot): void {
		const now = this.expireSlots();
		this.held.release(slot);
		slot.queue.needsAnotherSlot();
		this.grantSlots(now);
	}

	/** Returns which rate applies to a queue and why, and how long it takes until this many requests may be sent. */
	describeLimit(queue: Queue, requests = 1): LimitState {
		const now = this.expireSlots();
		// First, because of several credentials with the lowest rate, the first one is named.
		const policy = new GrantPolicy(now, this.cooldown, this.held, [queue, ...this.queues]);
		return policy.describeLimit(queue, requests);
	}
}
