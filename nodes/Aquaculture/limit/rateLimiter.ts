import { systemClock, MINUTE_MS, SECOND_MS, type Clock } from '../utils/time';
import { Cooldown } from './cooldown';
import { HeldSlots } from './heldSlots';
import type { WaitReason, Queue, Slot, Waiter } from './queue';

/** Look this often whether waiting requests may be sent. */
const TICK_MS = 100;
/** Requests unanswered for this long no longer count as in flight. */
const MAX_IN_FLIGHT_MS = 3 * SECOND_MS;
/** The part of the slots that only logins may take. */
const LOGIN_RESERVE = 0.02;
/** How fast a queue sends evenly, as a part of the rate. The rest is for others, who take it as they come. */
const EVEN_RATE = 0.93;

/** Returns how many slots all polls together may hold. */
export const pollSlots = (rate: number) => Math.max(1, Math.floor(rate / 2));

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
	/** The name of the credential whose rate applies, if it is known. */
	credential?: string | undefined;
	waitReason: WaitReason;
	/** How long it takes until enough slots are free, or all that a minute allows. */
	delayMs: number;
}

/**
 * Decides when the requests of an account are sent, in this process: those of executions, polls, logins and HTTP Request
 * nodes. No 60 seconds contain more requests than 'Requests per Minute' allows.
 *
 * ```
 * waiting ── grant ──▶ in flight ── record… ──▶ ended ── a minute ──▶ expired
 *    └─ too long, cancelled     └─ release: not sent
 * ```
 *
 * A {@link Queue} owns the requests that wait, {@link HeldSlots} the slots in flight and ended. After a 429, {@link Cooldown}
 * pauses the account and reduces its rate. Time passes in {@link update}, with which each call begins, and a tick calls it while
 * requests wait.
 */
export class RateLimiter {
	private readonly held = new HeldSlots();
	private readonly cooldown = new Cooldown();
	/** Queues with waiting requests, least recently served first. */
	private readonly queues = new Set<Queue>();
	private isTicking = false;
	/** The time of the current call. */
	private now = 0;
	/** Until when nothing is sent, because the service is down and asks for it. */
	private unavailableUntil = -Infinity;
	/** The queue with the lowest rate of those that wait or have requests in flight: that rate applies to all. */
	private strictest: Queue | undefined;
	/** How many requests the service has refused with 429. */
	refusedRequests = 0;

	constructor(private readonly clock: Clock = systemClock) {}

	/** Waits until a request may be sent. @returns undefined if that takes too long, or if the wait is cancelled. */
	async acquire({ queue, deadline = Infinity, signal }: SlotRequest): Promise<Slot | undefined> {
		if (signal?.aborted) return undefined;
		return await new Promise((resolve) => {
			const cancel = () => this.cancel(queue, waiter);
			const settle = (slot?: Slot) => {
				signal?.removeEventListener('abort', cancel);
				resolve(slot);
			};
			const waiter = { deadline, settle };
			signal?.addEventListener('abort', cancel);
			queue.add(waiter);
			this.queues.add(queue);
			this.grantSlots();
			// If it has a slot already, its promise is resolved, and this changes nothing.
			if (queue.isOverdue(waiter, this.now, this.pauseMs)) cancel();
			void this.tick();
		});
	}

	/** While requests wait: grants slots, counts how long each queue is held up, and ends waits that take too long. */
	private async tick(): Promise<void> {
		if (this.isTicking) return;
		this.isTicking = true;
		try {
			while (this.queues.size > 0) {
				const before = this.clock.now();
				await this.clock.sleep(TICK_MS);
				this.grantSlots();
				for (const queue of this.queues) {
					const reason = this.waitReason(queue);
					if (reason) queue.waited[reason] += this.now - before;
				}
				this.endOverdueWaits();
			}
		} finally {
			this.isTicking = false;
		}
	}

	/** Brings the time, the slots and the rate up to date. */
	private update(): void {
		this.now = this.clock.now();
		this.held.expire(this.now);
		const inFlight = this.held.listInFlight().map(({ queue }) => queue);
		this.strictest = undefined;
		for (const queue of new Set([...this.queues, ...inFlight])) {
			const lowest = this.strictest?.requestsPerMinute ?? Infinity;
			if (queue.requestsPerMinute < lowest) this.strictest = queue;
		}
	}

	/** Requests a minute: what the strictest credential in use allows, or less after a 429. */
	private get rate(): number {
		return Math.min(this.strictest?.requestsPerMinute ?? Infinity, this.cooldown.rate(this.now));
	}

	/** How long nothing may be sent. */
	private get pauseMs(): number {
		return Math.max(this.cooldown.remainingMs(this.now), this.unavailableUntil - this.now);
	}

	/** Brings everything up to date, then grants slots until no queue may send. */
	private grantSlots(): void {
		this.update();
		for (let queue = this.nextQueue(); queue; queue = this.nextQueue()) {
			if (this.sendsEvenly(queue)) queue.recordSentEvenly(this.now, this.intervalMs);
			const { settle } = queue.next();
			this.queues.delete(queue);
			if (queue.length > 0) this.queues.add(queue);
			settle(this.held.grant(queue, this.now));
		}
	}

	/** Returns the queue that sends next; undefined if none may. */
	private nextQueue(): Queue | undefined {
		const recently = this.now - MAX_IN_FLIGHT_MS;
		const inFlight = this.held.listInFlight().filter(({ sentAt }) => sentAt > recently);
		if (inFlight.length >= this.maxInFlight) return undefined;
		const ready = [...this.queues].filter((queue) => !this.waitReason(queue));
		return ready.sort((a, b) => this.rank(a) - this.rank(b))[0];
	}

	/**
	 * Order: the queue with the lowest rank sends next, of several the one served least recently. Logins are first, then the queue that
	 * holds the fewest slots. So a short execution overtakes a long one, but not for more than a minute: by then, the long one holds
	 * none. Polls count as if they held a tenth of the rate more, because nobody waits for them.
	 */
	private rank(queue: Queue): number {
		if (queue.owner === 'login') return -1;
		return this.held.heldBy(queue) + (queue.owner === 'poll' ? this.rate / 10 : 0);
	}

	/**
	 * Slow start: at most one request more is in flight than were allowed in the last minute, and at most a tenth of the rate.
	 * So if other programs have used up the minute, only one request is refused.
	 */
	private get maxInFlight(): number {
		if (this.cooldown.isProbing) return 1;
		return Math.min(this.held.allowedLastMinute + 1, Math.max(1, Math.floor(this.rate / 10)));
	}

	/** Returns why a queue may not send; undefined if it may as soon as the slow start, which is the same for all, allows it. */
	private waitReason(queue: Queue): WaitReason | undefined {
		if (this.unavailableUntil > this.now) return 'unavailable';
		if (this.cooldown.remainingMs(this.now) > 0) return 'cooldown';
		if (this.freeSlots(queue) <= 0) return this.slowedBy(queue);
		const isDue = !this.sendsEvenly(queue) || queue.isDue(this.now, this.intervalMs);
		return isDue ? undefined : this.slowedBy(queue);
	}

	/** Returns why a queue gets no more slots than it does, while nothing is paused. */
	private slowedBy(queue: Queue): WaitReason {
		if (this.cooldown.isProbing) return 'cooldown';
		const { requestsPerMinute } = this.strictestFor(queue);
		return this.cooldown.rate(this.now) < requestsPerMinute ? 'reducedRate' : 'rate';
	}

	/** Returns how many slots a queue may take. */
	private freeSlots({ owner, requestsPerMinute }: Queue): number {
		const rate = Math.min(this.rate, requestsPerMinute);
		if (owner === 'login') return rate - this.held.size;
		const free = Math.ceil((1 - LOGIN_RESERVE) * rate) - this.held.size;
		return owner === 'poll' ? Math.min(free, pollSlots(rate) - this.held.heldByPolls) : free;
	}

	/**
	 * Returns whether a queue sends evenly, because it needs more slots than are free. It has to wait for some of them anyway, and
	 * if it took all that are free, everybody else would wait until they expire.
	 *
	 * For example, at 100 requests a minute, of which two are reserved for logins: 50 sites fit into the 98 and take slots as they come.
	 * 500 do not, so one is read each 0.65 seconds (93 a minute), and five slots a minute remain for others.
	 */
	private sendsEvenly(queue: Queue): boolean {
		const needed = Math.max(queue.announced - this.held.heldBy(queue), queue.length);
		return queue.maySendEvenly && needed > this.freeSlots(queue);
	}

	/** The time between two requests of a queue that sends evenly. */
	private get intervalMs(): number {
		return MINUTE_MS / Math.ceil(EVEN_RATE * this.rate);
	}

	/** Ends waits that have taken as long as they may, or will have before the cooldown ends. */
	private endOverdueWaits(): void {
		for (const queue of this.queues) {
			const overdue = queue.listOverdue(this.now, this.pauseMs);
			for (const waiter of overdue) this.cancel(queue, waiter);
		}
	}

	private cancel(queue: Queue, waiter: Waiter): void {
		queue.remove(waiter);
		if (queue.length === 0) this.queues.delete(queue);
		waiter.settle();
	}

	/** Records a response other than a 429; a 500 also shows that the service allowed the request. */
	recordAllowed(slot: Slot): void {
		const isInFlight = this.held.end(slot, true, this.clock.now());
		if (isInFlight) this.cooldown.recordAllowed(slot);
		this.grantSlots();
	}

	/** Ends a request whose answer nobody sees, as if it had been allowed. */
	assumeAllowed(slot: Slot): void {
		const isInFlight = this.held.end(slot, true, this.clock.now());
		if (isInFlight) this.cooldown.recordAssumed(slot);
		this.grantSlots();
	}

	/** Records a request without a response, or one of an HTTP Request node that failed: n8n hides the status. */
	recordUnanswered(slot: Slot): void {
		this.held.end(slot, false, this.clock.now());
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
		this.held.end(slot, false, this.clock.now());
		this.update();
		this.refusedRequests += 1;
		const { held, now } = this;
		const isStart = this.cooldown.recordRefused(slot, askedMs, held.allowedLastMinute, now);
		this.endOverdueWaits();
		return isStart;
	}

	/** Sends nothing for this time, because the service is down and asks for it. */
	pause(milliseconds: number): void {
		this.update();
		this.unavailableUntil = Math.max(this.unavailableUntil, this.now + milliseconds);
		this.endOverdueWaits();
	}

	/** A document was answered. */
	endPause(): void {
		this.unavailableUntil = -Infinity;
	}

	get isPaused(): boolean {
		return this.unavailableUntil > this.clock.now();
	}

	/** Returns the queue whose rate applies to a queue: its own, unless another one in use allows less. */
	private strictestFor(queue: Queue): Queue {
		const { strictest = queue } = this;
		return strictest.requestsPerMinute < queue.requestsPerMinute ? strictest : queue;
	}

	/** Returns which rate applies to a queue and why, and how long it takes until this many requests may be sent. */
	describeLimit(queue: Queue, requests = 1): LimitState {
		this.update();
		const lacking = requests - this.freeSlots(queue);
		return {
			requestsPerMinute: Math.min(this.rate, queue.requestsPerMinute),
			credential: this.strictestFor(queue).credentialName,
			waitReason: this.waitReason(queue) ?? this.slowedBy(queue),
			delayMs: Math.max(this.pauseMs, this.held.msUntilExpired(lacking, this.now)),
		};
	}
}
