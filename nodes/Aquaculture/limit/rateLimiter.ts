import type { LimitState } from '../messages/messages';
import { systemClock, type Clock } from '../utils/clock';
import { MINUTE_MS, SECOND_MS } from '../utils/time';
import { Cooldown } from './cooldown';
import {
	availableSlots,
	getPace,
	isPaced,
	loginReserve,
	maxInFlight,
	rank,
	type Usage,
} from './policies';
import { Queue, type Slot, type SlotRequest, type Waiter } from './queue';

/** Look this often whether waiting requests may be sent. */
const TICK_MS = 100;
/** n8n does not report responses to HTTP Request nodes. Assume that they were accepted after this time. */
const ASSUMED_RESPONSE_MS = 2 * SECOND_MS;
/** Requests unanswered for this long no longer count as in flight. */
const MAX_IN_FLIGHT_MS = 3 * SECOND_MS;
/** Slots to keep if there is no rate. They only tell a cooldown how many requests were accepted before it. */
const MAX_SLOTS_WITHOUT_RATE = 300;

/**
 * Decides when the requests of an account are sent, in this process: those of executions, polls, logins and HTTP Request
 * nodes.
 *
 * No 60 seconds hold more requests than 'Requests per Minute' allows. If credentials of the account differ, the lowest rate
 * applies while its requests wait or are in flight. After a 429, {@link Cooldown} decides. Who sends next is up to `policies.ts`;
 * this class only keeps the books.
 */
export class RateLimiter {
	private readonly cooldown = new Cooldown();
	/** The requests that count, in the order in which they were sent. */
	private slots: Slot[] = [];
	/** Queues with waiting requests, least recently served first. */
	private readonly queues = new Set<Queue>();
	private readonly httpNodeQueues = new Map<number, Queue>();
	private isTicking = false;

	constructor(private readonly clock: Clock = systemClock) {}

	/** Returns the queue of all HTTP Request nodes whose credentials have this rate. */
	httpNodeQueue(requestsPerMinute: number): Queue {
		const queue =
			this.httpNodeQueues.get(requestsPerMinute) ?? new Queue('execution', requestsPerMinute);
		this.httpNodeQueues.set(requestsPerMinute, queue);
		return queue;
	}

	/** Waits until a request may be sent. @returns undefined if that takes too long, or if the wait is cancelled. */
	async acquire(request: SlotRequest): Promise<Slot | undefined> {
		const { queue, signal } = request;
		if (signal?.aborted) return undefined;
		return await new Promise((resolve) => {
			const cancel = () => this.remove(waiter);
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
			if (this.hasExpired(waiter)) this.remove(waiter);
			void this.tick();
		});
	}

	/** The service has answered, and not with 429. */
	reportAccepted(slot: Slot): void {
		this.end(slot, true);
		this.cooldown.reportAccepted(slot.sentAt);
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
		this.advance();
		const { now, acceptedLastMinute } = this.usage();
		const isStart = this.cooldown.reportRateLimited({
			now,
			sentAt: slot.sentAt,
			askedMs,
			acceptedLastMinute,
		});
		this.removeExpiredWaiters();
		return isStart;
	}

	/** The request failed without a response. */
	reportNoAnswer(slot: Slot): void {
		this.end(slot, false);
		this.grantSlots();
	}

	/** The request was not sent after all. */
	release(slot: Slot): void {
		const index = this.slots.indexOf(slot);
		if (index < 0) return;
		this.slots.splice(index, 1);
		slot.queue.remaining += 1;
		this.grantSlots();
	}

	/** Whether the limiter can be evicted without losing state that matters. */
	get isIdle(): boolean {
		this.advance();
		const hasExpired = this.cooldown.hasExpired(this.clock.now());
		return this.queues.size === 0 && this.slots.length === 0 && hasExpired;
	}

	/** Says which rate applies to a queue, and why. */
	describe(queue: Queue): LimitState {
		this.advance();
		const { now, rate, strictest = queue } = this.usage(queue);
		const isCoolingDown = now < this.cooldown.until || this.cooldown.isProbing;
		const isReduced = rate < strictest.requestsPerMinute;
		const limit = { requestsPerMinute: rate, credential: strictest.credentialName };
		if (isCoolingDown) return { ...limit, cause: 'cooldown' };
		return { ...limit, cause: isReduced ? 'reducedRate' : 'rate' };
	}

	/** Returns how long it takes until this many requests may be sent at once, or all that a minute allows. */
	delayMs(queue: Queue, requests = 1): number {
		this.advance();
		const { now, rate, free } = this.usage(queue);
		const reserved = queue.kind === 'login' ? 0 : loginReserve(rate);
		const lacking = Math.min(rate, requests + reserved) - free;
		const ends = this.slots.map(({ answeredAt }) => Math.min(answeredAt, now) + MINUTE_MS);
		const freeAt = lacking > 0 ? ends.sort((a, b) => a - b)[lacking - 1] : now;
		return Math.max(freeAt ?? now, this.cooldown.until) - now;
	}

	/**
	 * Brings the books up to date, before anything looks at them: drops the slots that no longer count, and assumes that the
	 * requests of HTTP Request nodes were accepted.
	 */
	private advance(): void {
		const now = this.clock.now();
		this.slots = this.slots.filter(({ answeredAt }) => answeredAt + MINUTE_MS > now);
		for (const { sentAt, answeredAt, isAccepted } of this.slots) {
			if (isAccepted && answeredAt <= now) this.cooldown.reportAccepted(sentAt);
		}
	}

	/** @param candidate a queue to include although it neither waits nor holds a slot. */
	private usage(candidate?: Queue): Usage {
		const now = this.clock.now();
		const active = new Set(candidate ? [candidate, ...this.queues] : this.queues);
		const held = new Map<Queue, number>();
		const lastSentAt = new Map<Queue, number>();
		let inFlight = 0;
		let acceptedLastMinute = 0;
		let heldByPolls = 0;
		for (const { queue, sentAt, answeredAt, isAccepted } of this.slots) {
			held.set(queue, (held.get(queue) ?? 0) + 1);
			lastSentAt.set(queue, sentAt);
			if (queue.kind === 'poll') heldByPolls += 1;
			if (answeredAt > now) {
				active.add(queue);
				if (now - sentAt < MAX_IN_FLIGHT_MS) inFlight += 1;
			} else if (isAccepted) {
				acceptedLastMinute += 1;
			}
		}
		const strictest = minBy([...active], ({ requestsPerMinute }) => requestsPerMinute);
		const rate = Math.min(strictest?.requestsPerMinute ?? Infinity, this.cooldown.rate(now));
		return {
			now,
			strictest,
			rate,
			free: rate - this.slots.length,
			inFlight,
			acceptedLastMinute,
			isProbing: this.cooldown.isProbing,
			heldByPolls,
			held,
			lastSentAt,
		};
	}

	/** Grants slots until no queue may send. */
	private grantSlots(): void {
		this.advance();
		while (this.queues.size > 0) {
			const usage = this.usage();
			const queue = this.nextQueue(usage);
			if (!queue) return;
			if (isPaced(queue, usage)) queue.takeToken(usage.now, getPace(queue, usage));
			const { isUnreported = false, settle } = queue.shift();
			this.queues.delete(queue);
			if (queue.waiting.length > 0) this.queues.add(queue);
			const { now: sentAt, rate } = usage;
			const answeredAt = isUnreported ? sentAt + ASSUMED_RESPONSE_MS : Infinity;
			const slot = { queue, sentAt, answeredAt, isAccepted: isUnreported };
			this.slots.push(slot);
			if (rate === Infinity) this.slots = this.slots.slice(-MAX_SLOTS_WITHOUT_RATE);
			settle(slot);
		}
	}

	/** Returns the queue that may send a request now. */
	private nextQueue(usage: Usage): Queue | undefined {
		if (usage.now < this.cooldown.until || usage.inFlight >= maxInFlight(usage)) return undefined;
		const ready = [...this.queues].filter((queue) => maySend(queue, usage));
		return minBy(ready, (queue) => rank(queue, usage));
	}

	private end(slot: Slot, isAccepted: boolean): void {
		const now = this.clock.now();
		if (slot.answeredAt > now) Object.assign(slot, { answeredAt: now, isAccepted });
	}

	private remove(waiter: Waiter): void {
		const { waiting } = waiter.queue;
		const index = waiting.indexOf(waiter);
		if (index >= 0) waiting.splice(index, 1);
		if (waiting.length === 0) this.queues.delete(waiter.queue);
		waiter.settle();
	}

	private removeExpiredWaiters(): void {
		for (const { waiting } of this.queues) {
			for (const waiter of waiting.filter((each) => this.hasExpired(each))) this.remove(waiter);
		}
	}

	/** Returns whether a request has waited as long as it may, or will have before the cooldown ends. */
	private hasExpired({ queue, deadline = Infinity }: Waiter): boolean {
		const now = this.clock.now();
		const resumesAt = Math.max(now, this.cooldown.until);
		return deadline <= resumesAt || queue.waitedMs + resumesAt - now > queue.maxWaitMs;
	}

	/** While requests wait, grants slots, counts how long each queue was held up, and removes requests that have waited too long. */
	private async tick(): Promise<void> {
		if (this.isTicking) return;
		this.isTicking = true;
		let before = this.clock.now();
		while (this.queues.size > 0) {
			await this.clock.sleep(TICK_MS);
			this.grantSlots();
			const usage = this.usage();
			const { now } = usage;
			for (const queue of this.queues) {
				const isHeldUp = now < this.cooldown.until || !maySend(queue, usage);
				if (isHeldUp) queue.waitedMs += now - before;
			}
			before = now;
			this.removeExpiredWaiters();
		}
		this.isTicking = false;
	}
}

/** Returns whether there is a slot for a queue, apart from slow start and cooldown. */
function maySend(queue: Queue, usage: Usage): boolean {
	if (availableSlots(queue, usage) <= 0) return false;
	return !isPaced(queue, usage) || queue.isDue(usage.now, getPace(queue, usage));
}

/** Returns the first of the items with the lowest value. */
function minBy<T>(items: readonly T[], getValue: (item: T) => number): T | undefined {
	return items.reduce<T | undefined>(
		(best, item) => (best !== undefined && getValue(best) <= getValue(item) ? best : item),
		undefined,
	);
}
