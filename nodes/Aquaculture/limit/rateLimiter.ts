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
const UNSEEN_RESPONSE_MS = 2 * SECOND_MS;
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
			const cancel = () => this.dismiss(waiter);
			const settle = (slot?: Slot) => {
				signal?.removeEventListener('abort', cancel);
				resolve(slot);
			};
			const waiter: Waiter = { ...request, since: this.clock.now(), settle };
			signal?.addEventListener('abort', cancel);
			if (request.goesFirst) queue.waiting.unshift(waiter);
			else queue.waiting.push(waiter);
			this.queues.add(queue);
			this.sendDue();
			if (this.isLate(waiter)) this.dismiss(waiter);
			void this.tick();
		});
	}

	/** The service has answered, and not with 429. */
	reportAccepted(slot: Slot): void {
		this.end(slot, true);
		this.cooldown.reportAccepted(slot.sentAt);
		this.sendDue();
	}

	/**
	 * The service has answered with 429.
	 *
	 * @param askedMs how long it asks to wait.
	 * @returns whether a cooldown starts.
	 */
	reportRateLimited(slot: Slot, askedMs = MINUTE_MS): boolean {
		this.end(slot, false);
		const { now, acceptedLastMinute } = this.usage();
		const isStart = this.cooldown.reportRateLimited({
			now,
			sentAt: slot.sentAt,
			askedMs,
			acceptedLastMinute,
		});
		this.dismissLate();
		return isStart;
	}

	/** The request failed without a response. */
	reportNoAnswer(slot: Slot): void {
		this.end(slot, false);
		this.sendDue();
	}

	/** The request was not sent after all. */
	release(slot: Slot): void {
		const index = this.slots.indexOf(slot);
		if (index < 0) return;
		this.slots.splice(index, 1);
		slot.queue.remaining += 1;
		this.sendDue();
	}

	/** Whether the limiter can be evicted without losing state that matters. */
	get isIdle(): boolean {
		const now = this.clock.now();
		this.dropOld(now);
		return this.queues.size === 0 && this.slots.length === 0 && this.cooldown.isForgotten(now);
	}

	/** Says which rate applies to a queue, and why. */
	describe(queue: Queue): LimitState {
		const { now, rate, strictest = queue } = this.usage(queue);
		const isCoolingDown = now < this.cooldown.until || this.cooldown.isProbing;
		const isReduced = rate < strictest.requestsPerMinute;
		const cause = isCoolingDown ? 'cooldown' : isReduced ? 'reducedRate' : 'rate';
		return { requestsPerMinute: rate, credential: strictest.credential, cause };
	}

	/** Returns how long it takes until this many requests may be sent at once, or all that a minute allows. */
	delayMs(queue: Queue, requests = 1): number {
		const { now, rate, free } = this.usage(queue);
		const lacking = Math.min(rate, requests + loginReserve(rate)) - free;
		const ends = this.slots.map(({ answeredAt }) => Math.min(answeredAt, now) + MINUTE_MS);
		const freeAt = lacking > 0 ? ends.sort((a, b) => a - b)[lacking - 1] : now;
		return Math.max(freeAt ?? now, this.cooldown.until) - now;
	}

	private dropOld(now: number): void {
		this.slots = this.slots.filter(({ answeredAt }) => answeredAt + MINUTE_MS > now);
	}

	/** @param asking a queue that may be about to send, besides those that wait. */
	private usage(asking?: Queue): Usage {
		const now = this.clock.now();
		this.dropOld(now);
		const active = new Set(asking ? [asking, ...this.queues] : this.queues);
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
				// Nobody else reports the answers to HTTP Request nodes.
				this.cooldown.reportAccepted(sentAt);
			}
		}
		const strictest = minBy([...active], ({ requestsPerMinute }) => requestsPerMinute);
		const rate = Math.min(strictest?.requestsPerMinute ?? Infinity, this.cooldown.rate(now));
		const free = rate - this.slots.length;
		const { isProbing } = this.cooldown;
		return {
			...{ now, strictest, rate, free, isProbing },
			...{ inFlight, acceptedLastMinute, heldByPolls, held, lastSentAt },
		};
	}

	/** Sends all that may be sent now. */
	private sendDue(): void {
		while (this.queues.size > 0) {
			const usage = this.usage();
			const queue = this.next(usage);
			if (!queue) return;
			const { responseUnseen = false, settle } = queue.shift();
			this.queues.delete(queue);
			if (queue.waiting.length > 0) this.queues.add(queue);
			const { now: sentAt, rate } = usage;
			const answeredAt = responseUnseen ? sentAt + UNSEEN_RESPONSE_MS : Infinity;
			const slot = { queue, sentAt, answeredAt, isAccepted: responseUnseen };
			this.slots.push(slot);
			if (rate === Infinity) this.slots = this.slots.slice(-MAX_SLOTS_WITHOUT_RATE);
			settle(slot);
		}
	}

	/** Returns the queue that may send a request now. */
	private next(usage: Usage): Queue | undefined {
		if (usage.now < this.cooldown.until || usage.inFlight >= maxInFlight(usage)) return undefined;
		const ready = [...this.queues].filter((queue) => maySend(queue, usage));
		return minBy(ready, (queue) => rank(queue, usage));
	}

	private end(slot: Slot, isAccepted: boolean): void {
		const now = this.clock.now();
		if (slot.answeredAt > now) Object.assign(slot, { answeredAt: now, isAccepted });
	}

	private dismiss(waiter: Waiter): void {
		const { waiting } = waiter.queue;
		const index = waiting.indexOf(waiter);
		if (index >= 0) waiting.splice(index, 1);
		if (waiting.length === 0) this.queues.delete(waiter.queue);
		waiter.settle();
	}

	private dismissLate(): void {
		for (const { waiting } of this.queues) {
			for (const waiter of waiting.filter((each) => this.isLate(each))) this.dismiss(waiter);
		}
	}

	/** Whether a request has waited as long as it may, or will have before the cooldown ends. */
	private isLate({ queue, deadline = Infinity }: Waiter): boolean {
		const now = this.clock.now();
		const resumesAt = Math.max(now, this.cooldown.until);
		return deadline <= resumesAt || queue.waitedMs + resumesAt - now > queue.maxWaitMs;
	}

	/** While requests wait, sends those that are due and dismisses those that are late. */
	private async tick(): Promise<void> {
		if (this.isTicking) return;
		this.isTicking = true;
		for (let before = this.clock.now(); this.queues.size > 0; ) {
			await this.clock.sleep(TICK_MS);
			this.sendDue();
			const usage = this.usage();
			const { now } = usage;
			for (const queue of this.queues) {
				const isHeldUp = now < this.cooldown.until || !maySend(queue, usage);
				if (isHeldUp) queue.waitedMs += now - before;
			}
			before = now;
			this.dismissLate();
		}
		this.isTicking = false;
	}
}

/** Whether there is a slot for a queue, apart from slow start and cooldown. */
function maySend(queue: Queue, usage: Usage): boolean {
	if (availableSlots(queue, usage) <= 0) return false;
	return !isPaced(queue, usage) || queue.isDue(usage.now, getPace(queue, usage));
}

/** Returns the first of the items with the lowest value. */
function minBy<T>(items: readonly T[], valueOf: (item: T) => number): T | undefined {
	return items.reduce<T | undefined>(
		(best, item) => (best !== undefined && valueOf(best) <= valueOf(item) ? best : item),
		undefined,
	);
}
