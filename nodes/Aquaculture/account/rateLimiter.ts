import { MINUTE_MS, SECOND_MS } from '../messages/duration';
import type { LimitState } from '../messages/messages';
import { systemClock, type Clock } from './clock';
import { Cooldown } from './cooldown';

/** Look this often whether waiting requests may be sent. */
const TICK_MS = 100;
/** n8n does not report responses to HTTP Request nodes. Assume that they were accepted after this time. */
const UNSEEN_RESPONSE_MS = 2 * SECOND_MS;
/** Requests unanswered for this long no longer count as in flight. */
const MAX_IN_FLIGHT_MS = 3 * SECOND_MS;
/**
 * An execution that has waited this long, or for twice the time between its requests, jumps the queue: many short ones would
 * otherwise hold it up for hours.
 */
const STARVED_MS = 5 * SECOND_MS;
/** Parts of the rate: slots that only logins may use, and those that a long execution leaves free. */
const LOGIN_SHARE = 0.02;
const UNPACED_SHARE = 0.07;
/** Slots that are kept if there is no rate. They only tell a cooldown how many requests were accepted before it. */
const MAX_SLOTS_WITHOUT_RATE = 300;

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

/** The requests of one execution, one poll, one login, or all HTTP Request nodes whose credentials have the same rate. */
export class Queue {
	readonly waiting: Waiter[] = [];
	/** How many requests are still to be sent, if that is known. */
	remaining = 0;
	/** How long the limiter has held it up, and may hold it up in all. Waiting for answers does not count. */
	waitedMs = 0;
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
	isDue(now: number, perMinute: number, burst: number): boolean {
		const refill = ((now - this.refilledAt) * perMinute) / MINUTE_MS;
		this.credit = Math.min(burst, this.credit + refill);
		this.refilledAt = now;
		return this.credit >= 1;
	}
}

/** A request that needs a slot. */
export interface SlotRequest {
	queue: Queue;
	/** Until when it may wait, by the clock of the account. */
	deadline?: number | undefined;
	/** Cancels the wait. */
	signal?: AbortSignal | undefined;
	/** Whether it goes before the others of its queue. */
	goesFirst?: boolean;
	/** Whether nobody will report the answer. */
	responseUnseen?: boolean;
}

type Waiter = SlotRequest & { since: number; settle(slot?: Slot): void };

/** How much of the rate is in use. */
interface Usage {
	now: number;
	/** The queue with the lowest rate of those that wait or are in flight. */
	strictest: Queue | undefined;
	/** Requests a minute, after a 429 too. */
	rate: number;
	free: number;
	inFlight: number;
	acceptedLastMinute: number;
	/** The slots of all polls, and of each queue. */
	polls: number;
	held: ReadonlyMap<Queue, number>;
}

/**
 * Decides when the requests of an account are sent, in this process: those of executions, polls, logins and HTTP Request
 * nodes.
 *
 * 1. Rate: no 60 seconds hold more requests than 'Requests per Minute' allows. If credentials of the account differ, the lowest
 *    rate applies while its requests wait or are in flight.
 * 2. Slow start: at most one request more is in flight than were accepted in the last minute, and at most a tenth of the
 *    rate. If other programs have used up the minute, only one request is refused.
 * 3. After a 429: see {@link Cooldown}.
 * 4. Order: logins go first, then executions that have waited for five seconds or twice the time between their requests, then the queue with the fewest slots. A poll
 *    counts as if it held a tenth of the rate more.
 * 5. Shares: two of a hundred slots are for logins only, and all polls together hold at most half of the rate.
 * 6. Pacing: a queue that needs more than a quarter of the rate, and more than is free, sends evenly, so that others find a
 *    free slot at any time. An execution sends 93 of a hundred a minute; a poll, which ends soon, sends a quarter of the rate
 *    at once, and half of it a minute. A queue that cannot wait takes every free slot.
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
		const { now, acceptedLastMinute } = this.look();
		const isStart = this.cooldown.reportRateLimited(now, slot.sentAt, askedMs, acceptedLastMinute);
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
		const { now } = this.look();
		return this.queues.size === 0 && this.slots.length === 0 && this.cooldown.isForgotten(now);
	}

	/** Says which rate applies to a queue, and why. */
	describe(queue: Queue): LimitState {
		const { now, rate, strictest = queue } = this.look(queue);
		const isCoolingDown = now < this.cooldown.until || this.cooldown.isProbing;
		const isReduced = rate < strictest.requestsPerMinute;
		const cause = isCoolingDown ? 'cooldown' : isReduced ? 'reducedRate' : 'rate';
		return { requestsPerMinute: rate, credential: strictest.credential, cause };
	}

	/** Returns how long it takes until this many requests may be sent at once, or all that a minute allows. */
	delayMs(queue: Queue, requests = 1): number {
		const { now, rate, free } = this.look(queue);
		const lacking = Math.min(rate, requests + forLogins(rate)) - free;
		const ends = this.slots.map(({ answeredAt }) => Math.min(answeredAt, now) + MINUTE_MS);
		const freeAt = lacking > 0 ? ends.sort((a, b) => a - b)[lacking - 1] : now;
		return Math.max(freeAt ?? now, this.cooldown.until) - now;
	}

	/** @param asking a queue that may be about to send, besides those that wait. */
	private look(asking?: Queue): Usage {
		const now = this.clock.now();
		this.slots = this.slots.filter(({ answeredAt }) => answeredAt + MINUTE_MS > now);
		const active = new Set(asking ? [asking, ...this.queues] : this.queues);
		const held = new Map<Queue, number>();
		let inFlight = 0;
		let acceptedLastMinute = 0;
		let polls = 0;
		for (const { queue, sentAt, answeredAt, isAccepted } of this.slots) {
			const isUnanswered = answeredAt > now;
			held.set(queue, (held.get(queue) ?? 0) + 1);
			if (isUnanswered) active.add(queue);
			if (isUnanswered && now - sentAt < MAX_IN_FLIGHT_MS) inFlight += 1;
			if (!isUnanswered && isAccepted) {
				acceptedLastMinute += 1;
				// Nobody else reports the answers to HTTP Request nodes.
				this.cooldown.reportAccepted(sentAt);
			}
			if (queue.kind === 'poll') polls += 1;
		}
		const strictest = lowest([...active], ({ requestsPerMinute }) => requestsPerMinute);
		const rate = Math.min(strictest?.requestsPerMinute ?? Infinity, this.cooldown.rate(now));
		const free = rate - this.slots.length;
		return { now, strictest, rate, free, inFlight, acceptedLastMinute, polls, held };
	}

	/** Sends all that may be sent now. */
	private sendDue(): void {
		while (this.queues.size > 0) {
			const usage = this.look();
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
		const isCoolingDown = usage.now < this.cooldown.until;
		if (isCoolingDown || usage.inFlight >= this.maxInFlight(usage)) return undefined;
		const ready = [...this.queues].filter((queue) => this.maySend(queue, usage));
		return lowest(ready, (queue) => this.rank(queue, usage));
	}

	private maxInFlight({ rate, acceptedLastMinute }: Usage): number {
		if (this.cooldown.isProbing) return 1;
		if (rate === Infinity) return Infinity;
		return Math.min(acceptedLastMinute + 1, Math.max(1, Math.floor(rate / 10)));
	}

	private rank(queue: Queue, { now, rate, held }: Usage): number {
		if (queue.kind === 'login') return -2;
		if (this.isStarved(queue, now, rate)) return -1;
		return (held.get(queue) ?? 0) + (queue.kind === 'poll' ? rate / 10 : 0);
	}

	/** Whether there is a slot for a queue, apart from slow start and cooldown. */
	private maySend(queue: Queue, usage: Usage): boolean {
		const { now, rate, free, polls } = usage;
		if (queue.kind === 'login') return free > 0;
		const isPoll = queue.kind === 'poll';
		const unreserved = free - forLogins(rate);
		const available = isPoll ? Math.min(unreserved, half(rate) - polls) : unreserved;
		if (available <= 0 || !this.isPaced(queue, available, usage)) return available > 0;
		return isPoll
			? queue.isDue(now, half(rate), Math.max(1, rate / 4))
			: queue.isDue(now, executionPace(rate), 2);
	}

	/** Whether a queue needs more than a quarter of the rate, and more than is available to it. */
	private isPaced(queue: Queue, available: number, { now, rate, held }: Usage): boolean {
		const mayWait = queue.kind !== 'attendedPoll' && queue.maxWaitMs > 0;
		if (!mayWait || this.isStarved(queue, now, rate)) return false;
		return queue.demand + (held.get(queue) ?? 0) > rate / 4 && queue.demand > available;
	}

	private isStarved(queue: Queue, now: number, rate: number): boolean {
		if (queue.kind !== 'execution') return false;
		const paceMs = MINUTE_MS / executionPace(rate);
		const waitsSince = queue.waiting[0]?.since ?? now;
		const lastAt = this.slots.findLast((slot) => slot.queue === queue)?.sentAt ?? -Infinity;
		return now - Math.max(waitsSince, lastAt) >= Math.max(STARVED_MS, 2 * paceMs);
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
			const usage = this.look();
			const { now } = usage;
			for (const queue of this.queues) {
				const isHeldUp = now < this.cooldown.until || !this.maySend(queue, usage);
				if (isHeldUp) queue.waitedMs += now - before;
			}
			before = now;
			this.dismissLate();
		}
		this.isTicking = false;
	}
}

/** How many slots all polls may hold. */
function half(rate: number): number {
	return Math.max(1, Math.floor(rate / 2));
}

/** How many requests a minute a long execution sends. At a low rate it leaves no whole slot. */
function executionPace(rate: number): number {
	return rate === Infinity ? Infinity : rate - Math.floor(UNPACED_SHARE * rate);
}

/** How many slots are for logins only. */
function forLogins(rate: number): number {
	return rate === Infinity ? 0 : Math.floor(LOGIN_SHARE * rate);
}

/** Returns the first of the items with the lowest value. */
function lowest<T>(items: readonly T[], valueOf: (item: T) => number): T | undefined {
	return items.reduce<T | undefined>(
		(best, item) => (best !== undefined && valueOf(best) <= valueOf(item) ? best : item),
		undefined,
	);
}
