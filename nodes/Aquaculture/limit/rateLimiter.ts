import type { LimitState } from '../messages/messages';
import { systemClock, type Clock } from '../utils/clock';
import { MINUTE_MS } from '../utils/time';
import { Cooldown } from './cooldown';
import type { Queue, Slot, SlotRequest, Waiter } from './queue';
import { Snapshot } from './snapshot';

/** Look this often whether waiting requests may be sent. */
const TICK_MS = 100;
/** Slots to keep if there is no rate. They only tell a cooldown how many requests were allowed before it. */
const MAX_SLOTS_WITHOUT_RATE = 300;

/**
 * Decides when the requests of an account are sent, in this process: those of executions, polls, logins and HTTP Request
 * nodes.
 *
 * No 60 seconds hold more requests than 'Requests per Minute' allows. If credentials of the account differ, the lowest rate
 * applies while its requests wait or are in flight. After a 429, {@link Cooldown} decides. Who sends next is up to
 * {@link Snapshot}; this class only keeps the books.
 */
export class RateLimiter {
	private readonly cooldown = new Cooldown();
	/** The slots that count, in the order in which they were granted. */
	private slots: Slot[] = [];
	/** Queues with waiting requests, least recently served first. */
	private readonly queues = new Set<Queue>();
	private isTicking = false;
	/** How many requests the service has refused with 429, and since when they are counted. */
	readonly refused = { since: new Date(), requests: 0 };

	constructor(private readonly clock: Clock = systemClock) {}

	/** Waits until a request may be sent. @returns undefined if that takes too long, or if the wait is cancelled. */
	async acquire(request: SlotRequest): Promise<Slot | undefined> {
		const { queue, signal } = request;
		if (signal?.aborted) return undefined;
		return await new Promise((resolve) => {
			const cancel = () => this.endWait(waiter);
			const settle = (slot?: Slot) => {
				signal?.removeEventListener('abort', cancel);
				resolve(slot);
			};
			const waiter: Waiter = { ...request, since: this.clock.now(), settle };
			signal?.addEventListener('abort', cancel);
			if (request.jumpsQueue) queue.waiting.unshift(waiter);
			else queue.waiting.push(waiter);
			this.queues.add(queue);
			this.grantSlots();
			this.endExpiredWaits([waiter]);
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
			this.grantSlots();
			const snapshot = this.takeSnapshot();
			for (const queue of this.queues) {
				if (snapshot.holdsUp(queue)) queue.countWait(snapshot.now - before);
			}
			this.endExpiredWaits();
		}
		this.isTicking = false;
	}

	/** Grants slots until no queue may send. */
	private grantSlots(): void {
		while (this.queues.size > 0) {
			const snapshot = this.takeSnapshot();
			const queue = snapshot.nextQueue();
			if (!queue) return;
			const { now, rate } = snapshot;
			const { settle } = queue.take(now, snapshot.pace(queue));
			this.queues.delete(queue);
			if (queue.waiting.length > 0) this.queues.add(queue);
			const { assumedResponseMs = Infinity } = queue.kind;
			const slot = { queue, sentAt: now, endedAt: now + assumedResponseMs, isAllowed: true };
			this.slots.push(slot);
			if (rate === Infinity) this.slots = this.slots.slice(-MAX_SLOTS_WITHOUT_RATE);
			settle(slot);
		}
	}

	/** Ends waits that have taken as long as they may, or will have before the cooldown ends. */
	private endExpiredWaits(waiters = [...this.queues].flatMap(({ waiting }) => waiting)): void {
		const now = this.clock.now();
		const pausedForMs = this.cooldown.remainingMs(now);
		for (const waiter of waiters) {
			const { queue, deadline = Infinity } = waiter;
			const isTooLong = queue.waitedMs + pausedForMs > queue.maxWaitMs;
			if (isTooLong || deadline <= now + pausedForMs) this.endWait(waiter);
		}
	}

	private endWait(waiter: Waiter): void {
		const { waiting } = waiter.queue;
		const index = waiting.indexOf(waiter);
		if (index >= 0) waiting.splice(index, 1);
		if (waiting.length === 0) this.queues.delete(waiter.queue);
		waiter.settle();
	}

	/** The service has answered, if only with 500, but not with 429. */
	reportAllowed(slot: Slot): void {
		this.end(slot, true);
		this.grantSlots();
	}

	/**
	 * The service has answered with 429.
	 *
	 * @param askedMs how long it asks to wait.
	 * @returns whether a cooldown starts.
	 */
	reportRateLimited(slot: Slot, askedMs = MINUTE_MS): boolean {
		this.end(slot, false);
		this.refused.requests += 1;
		const isStart = this.cooldown.reportRateLimited(slot, askedMs, this.takeSnapshot());
		this.endExpiredWaits();
		return isStart;
	}

	/** The request failed without a response. */
	reportNoAnswer(slot: Slot): void {
		this.end(slot, false);
		this.grantSlots();
	}

	private end(slot: Slot, isAllowed: boolean): void {
		const now = this.clock.now();
		if (slot.endedAt > now) Object.assign(slot, { endedAt: now, isAllowed });
	}

	/** The request was not sent after all. */
	release(slot: Slot): void {
		const index = this.slots.indexOf(slot);
		if (index < 0) return;
		this.slots.splice(index, 1);
		slot.queue.willResend();
		this.grantSlots();
	}

	/** Says which rate applies to a queue and why, and how long it takes until this many requests may be sent. */
	describeLimit(queue: Queue, requests = 1): LimitState {
		return this.takeSnapshot(queue).describeLimit(queue, requests);
	}

	/** Whether the limiter can be evicted without losing state that matters. */
	get isIdle(): boolean {
		const { now } = this.takeSnapshot();
		return this.queues.size === 0 && this.slots.length === 0 && this.cooldown.hasExpired(now);
	}

	/** @param candidate a queue to include although it may not wait. */
	private takeSnapshot(...candidate: Queue[]): Snapshot {
		const now = this.clock.now();
		this.expireSlots(now);
		return new Snapshot(now, this.cooldown, this.slots, [...candidate, ...this.queues]);
	}

	/** Tells the cooldown which requests were allowed by now, and drops the slots that no longer count. */
	private expireSlots(now: number): void {
		for (const { sentAt, endedAt, isAllowed } of this.slots) {
			if (isAllowed && endedAt <= now) this.cooldown.reportAllowed(sentAt);
		}
		this.slots = this.slots.filter(({ endedAt }) => endedAt + MINUTE_MS > now);
	}
}
