import { systemClock, SECOND_MS, type Clock } from '../utils/time';
import { Cooldown } from './cooldown';
import { countFreeSlots, getRank, isPaced, paceMs } from './fairShare';
import { HeldSlots } from './heldSlots';
import type { WaitReason, Queue, Slot, Waiter } from './queue';

/** Look this often whether waiting requests may be sent. */
const TICK_MS = 100;
/** Requests unanswered for this long no longer count as in flight, so that a few that hang do not hold up all others. */
const MAX_IN_FLIGHT_MS = 3 * SECOND_MS;

/** A request that needs a slot. */
export interface SlotRequest {
	queue: Queue;
	/** Until when it may wait, by the limiter's clock. */
	deadline?: number | undefined;
	/** Cancels the wait. */
	signal?: AbortSignal | undefined;
}

/** Which rate applies to a queue and why, and how long its requests have to wait. */
export interface LimitState {
	/** After a 429, less than a credential allows. */
	requestsPerMinute: number;
	waitReason: WaitReason;
	/** How long it takes until enough slots are free, or all that a minute allows. */
	delayMs: number;
}

/**
 * Decides when the requests of an account (`login/account.ts`) are sent, in this process: those of executions, polls, logins and HTTP
 * Request nodes. A request needs a slot, and a minute has as many slots as 'Requests per Minute' says:
 *
 * ```
 * waiting ── grant ──▶ in flight ── record… ──▶ ended ── a minute ──▶ expired
 *    └─ too long, cancelled     └─ release: not sent
 * ```
 *
 * It holds its slot while it is in flight and for a minute after that, so no 60 seconds contain more requests than allowed.
 *
 * - {@link Queue}: the requests that wait, of one execution, poll or login, or of all HTTP Request nodes whose credentials have a rate.
 * - {@link HeldSlots}: the slots in flight and ended.
 * - `fairShare.ts`: how queues share the slots, with an example.
 * - {@link Cooldown}: after a 429, pauses the account and reduces its rate.
 */
export class RateLimiter {
	private readonly held = new HeldSlots();
	private readonly cooldown = new Cooldown();
	/** Queues with waiting requests, least recently served first. */
	private readonly queues = new Set<Queue>();
	private isTicking = false;
	/** What the credentials in use allow: the lowest rate of the queues that wait or have requests in flight. */
	private allowedRate = Infinity;

	constructor(private readonly clock: Clock = systemClock) {}

	/** Waits until a request may be sent. @returns undefined if that takes too long, or if the wait is cancelled. */
	async acquire({ queue, deadline = Infinity, signal }: SlotRequest): Promise<Slot | undefined> {
		if (signal?.aborted || deadline <= this.now) return undefined;
		return await new Promise((resolve) => {
			const cancel = () => this.endWait(queue, waiter);
			const settle = (slot?: Slot) => {
				signal?.removeEventListener('abort', cancel);
				resolve(slot);
			};
			const waiter = { deadline, settle };
			signal?.addEventListener('abort', cancel);
			queue.waiting.add(waiter);
			this.queues.add(queue);
			this.grantSlots();
			// Without effect if it has got a slot.
			if (queue.isOverdue(waiter, this.now, this.pauseMs)) this.endWait(queue, waiter);
			void this.tick();
		});
	}

	/** While requests wait: grants slots, counts how long each queue is held up, and ends waits that take too long. */
	private async tick(): Promise<void> {
		if (this.isTicking) return;
		this.isTicking = true;
		try {
			while (this.queues.size > 0) {
				const before = this.now;
				await this.clock.sleep(TICK_MS);
				this.grantSlots();
				for (const queue of this.queues) {
					const reason = this.blockedBy(queue);
					if (reason) queue.waited[reason] += this.now - before;
				}
				this.endOverdueWaits();
			}
		} finally {
			this.isTicking = false;
		}
	}

	/** Ends waits that have taken as long as they may, or will have when a pause ends. */
	private endOverdueWaits(): void {
		for (const queue of this.queues) {
			for (const waiter of queue.waiting) {
				if (queue.isOverdue(waiter, this.now, this.pauseMs)) this.endWait(queue, waiter);
			}
		}
	}

	/** Ends a wait without a slot. */
	private endWait(queue: Queue, waiter: Waiter): void {
		queue.waiting.delete(waiter);
		if (queue.waiting.size === 0) this.queues.delete(queue);
		waiter.settle();
	}

	/** Grants slots until no queue may send. */
	private grantSlots(): void {
		this.expireAndFindRate();
		for (let queue = this.nextQueue(); queue; queue = this.nextQueue()) {
			if (isPaced(queue, this.rate, this.held)) queue.recordPaced(this.now, paceMs(this.rate));
			const { settle } = queue.takeNext();
			// Moves it behind the others.
			this.queues.delete(queue);
			if (queue.waiting.size > 0) this.queues.add(queue);
			settle(this.held.grant(queue, this.now));
		}
	}

	/** Returns the queue that sends next, of several with the same rank the one served least recently; undefined if none may. */
	private nextQueue(): Queue | undefined {
		const { rate, held, now } = this;
		const inFlight = held.listInFlight().filter(({ sentAt }) => sentAt > now - MAX_IN_FLIGHT_MS);
		if (inFlight.length >= this.maxInFlight) return undefined;
		const ready = [...this.queues].filter((queue) => !this.blockedBy(queue));
		return ready.sort((a, b) => getRank(a, rate, held) - getRank(b, rate, held))[0];
	}

	/** Records a response other than a 429; a 500 also shows that the service allowed the request. */
	recordAllowed(slot: Slot): void {
		const isInFlight = this.held.end(slot, true, this.now);
		if (isInFlight) this.cooldown.recordAllowed(slot);
		this.grantSlots();
	}

	/** Ends a request whose answer nobody sees, as if it had been allowed. */
	assumeAllowed(slot: Slot): void {
		const isInFlight = this.held.end(slot, true, this.now);
		if (isInFlight) this.cooldown.recordAssumed(slot);
		this.grantSlots();
	}

	/** Records a request without a response, or one of an HTTP Request node that failed: n8n hides the status. */
	recordUnanswered(slot: Slot): void {
		this.held.end(slot, false, this.now);
		this.grantSlots();
	}

	/** Gives back the slot of a request that was not sent after all. */
	release(slot: Slot): void {
		this.held.release(slot);
		this.grantSlots();
	}

	/**
	 * Records a 429.
	 *
	 * @param askedMs how long the service asks to wait; undefined if it does not say.
	 * @returns whether a cooldown starts.
	 */
	recordRefused(slot: Slot, askedMs?: number): boolean {
		this.held.end(slot, false, this.now);
		this.expireAndFindRate();
		const { allowedLastMinute } = this.held;
		const isStart = this.cooldown.recordRefused(slot, allowedLastMinute, this.now, askedMs);
		this.endOverdueWaits();
		return isStart;
	}

	/** Drops the slots that have expired, and finds the rate of the credentials in use. */
	private expireAndFindRate(): void {
		this.held.expire(this.now);
		const inUse = [...this.queues, ...this.held.listInFlight().map(({ queue }) => queue)];
		this.allowedRate = Math.min(...inUse.map(({ requestsPerMinute }) => requestsPerMinute));
	}

	/** Returns why a queue may not send; undefined if only {@link maxInFlight}, which is the same for all, may still hold it up. */
	private blockedBy(queue: Queue): WaitReason | undefined {
		if (this.pauseMs > 0) return 'refusals';
		if (countFreeSlots(queue, this.rate, this.held) <= 0) return this.whichLimit(queue);
		const isDue = !isPaced(queue, this.rate, this.held) || queue.isDue(this.now, paceMs(this.rate));
		return isDue ? undefined : this.whichLimit(queue);
	}

	/** Returns why a queue gets no more slots than it does, while nothing is paused. */
	private whichLimit({ requestsPerMinute }: Queue): WaitReason {
		const allowedRate = Math.min(this.allowedRate, requestsPerMinute);
		const isReduced = this.cooldown.isProbing || this.cooldown.rate(this.now) < allowedRate;
		return isReduced ? 'refusals' : 'rate';
	}

	/** How long nothing may be sent. */
	private get pauseMs(): number {
		return this.cooldown.remainingMs(this.now);
	}

	/** Requests a minute that the account may send: what its credentials allow, or less after a 429. */
	private get rate(): number {
		return Math.min(this.allowedRate, this.cooldown.rate(this.now));
	}

	/**
	 * Slow start: at most one request more is in flight than were allowed in the last minute, and at most a tenth of the rate.
	 * So if other programs have used up the minute, only one request is refused.
	 */
	private get maxInFlight(): number {
		if (this.cooldown.isProbing) return 1;
		return Math.min(this.held.allowedLastMinute + 1, Math.max(1, Math.floor(this.rate / 10)));
	}

	private get now(): number {
		return this.clock.now();
	}

	/** Returns which rate applies to a queue and why, and how long it takes until this many requests may be sent. */
	describeLimit(queue: Queue, requests = 1): LimitState {
		this.expireAndFindRate();
		const lacking = requests - countFreeSlots(queue, this.rate, this.held);
		return {
			requestsPerMinute: Math.min(this.rate, queue.requestsPerMinute),
			waitReason: this.blockedBy(queue) ?? this.whichLimit(queue),
			delayMs: Math.max(this.pauseMs, this.held.msUntilExpired(lacking, this.now)),
		};
	}
}
