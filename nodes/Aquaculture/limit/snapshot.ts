import { MINUTE_MS, SECOND_MS } from '../utils/time';
import type { Cooldown } from './cooldown';
import type { Queue, Slot } from './queue';
import type { Pace } from './queueKinds';

/** Requests unanswered for this long no longer count as in flight. */
const MAX_IN_FLIGHT_MS = 3 * SECOND_MS;

/** Which rate applies to somebody's requests and why, and how long they have to wait. */
export interface LimitState {
	/** After a 429, less than a credential allows. */
	requestsPerMinute: number;
	/** The name of the credential whose rate applies, if it is known. */
	credential?: string | undefined;
	limitCause: 'rate' | 'cooldown' | 'reducedRate';
	/** How long it takes until the requests in question may be sent, in milliseconds. */
	delayMs: number;
}

/** What is in use at one moment, and who may send then. */
export class Snapshot {
	/** Requests a minute: what the strictest credential in use allows, or less after a 429. */
	readonly rate: number;
	/** How many requests the service has allowed in the last minute. */
	readonly allowedLastMinute: number;
	/** The queue with the lowest rate of those that wait or are in flight. */
	private readonly strictest: Queue | undefined;
	private readonly inFlight: number;
	/** How long nothing may be sent after a 429. */
	private readonly pausedForMs: number;

	/**
	 * @param slots all that count, in the order in which they were granted.
	 * @param queues all that wait, least recently served first.
	 */
	constructor(
		readonly now: number,
		private readonly cooldown: Cooldown,
		private readonly slots: readonly Slot[],
		private readonly queues: readonly Queue[],
	) {
		const unanswered = slots.filter(({ endedAt }) => endedAt > now);
		const allowed = slots.filter(({ endedAt, isAllowed }) => endedAt <= now && isAllowed);
		const active = [...queues, ...unanswered.map(({ queue }) => queue)];
		[this.strictest] = active.sort((a, b) => a.requestsPerMinute - b.requestsPerMinute);
		this.rate = Math.min(this.strictest?.requestsPerMinute ?? Infinity, cooldown.rate(now));
		this.allowedLastMinute = allowed.length;
		this.inFlight = unanswered.filter(({ sentAt }) => now - sentAt < MAX_IN_FLIGHT_MS).length;
		this.pausedForMs = cooldown.remainingMs(now);
	}

	/** Returns the queue that sends next: a login, then a starved one, then the one that holds the fewest slots. */
	nextQueue(): Queue | undefined {
		if (this.inFlight >= this.maxInFlight()) return undefined;
		const ready = this.queues.filter((queue) => !this.holdsUp(queue));
		return ready.sort((a, b) => this.rank(a) - this.rank(b))[0];
	}

	/** Returns whether a queue waits for more than the answers to requests in flight. */
	holdsUp(queue: Queue): boolean {
		if (this.pausedForMs > 0 || this.availableSlots(queue) <= 0) return true;
		return !queue.isDue(this.now, this.pace(queue));
	}

	/**
	 * Slow start: at most one request more is in flight than were allowed in the last minute, and at most a tenth of the rate.
	 * So if other programs have used up the minute, only one request is refused.
	 */
	private maxInFlight(): number {
		if (this.cooldown.isProbing) return 1;
		return Math.min(this.allowedLastMinute + 1, Math.max(1, Math.floor(this.rate / 10)));
	}

	/** Shares: returns how many slots a queue may take. */
	private availableSlots(queue: Queue): number {
		const { kind } = queue;
		const heldByKind = this.slots.filter((slot) => slot.queue.kind === kind).length;
		return Math.min(this.freeSlots(queue), (kind.share?.(this.rate) ?? Infinity) - heldByKind);
	}

	private freeSlots({ kind }: Queue): number {
		return Math.ceil((1 - kind.reserve) * this.rate) - this.slots.length;
	}

	/**
	 * Pacing: a queue that needs more than a quarter of the rate, and more than is available to it, sends evenly, so that
	 * others find a free slot at any time. One that cannot wait, or has waited too long, takes every free slot.
	 */
	pace(queue: Queue): Pace | undefined {
		const needed = queue.demand + this.heldBy(queue).length;
		if (needed <= this.rate / 4 || queue.demand <= this.availableSlots(queue)) return undefined;
		if (queue.maxWaitMs === 0 || this.isStarved(queue)) return undefined;
		return queue.kind.pace?.(this.rate);
	}

	private rank(queue: Queue): number {
		return this.isStarved(queue) ? -1 : queue.kind.rank(this.heldBy(queue).length, this.rate);
	}

	/** Returns whether many short executions have held up a long one for too long. */
	private isStarved(queue: Queue): boolean {
		const lastSentAt = this.heldBy(queue).at(-1)?.sentAt ?? -Infinity;
		const waitingSince = Math.max(queue.waiting[0]?.since ?? this.now, lastSentAt);
		return this.now - waitingSince >= (queue.kind.starvedAfterMs?.(this.rate) ?? Infinity);
	}

	private heldBy(queue: Queue): Slot[] {
		return this.slots.filter((slot) => slot.queue === queue);
	}

	describeLimit(queue: Queue, requests: number): LimitState {
		const { requestsPerMinute, credentialName: credential } = this.strictest ?? queue;
		const isCoolingDown = this.pausedForMs > 0 || this.cooldown.isProbing;
		const isReduced = this.rate < requestsPerMinute;
		const limitCause = isCoolingDown ? 'cooldown' : isReduced ? 'reducedRate' : 'rate';
		const delayMs = Math.max(this.pausedForMs, this.delayMs(queue, requests));
		return { requestsPerMinute: this.rate, credential, limitCause, delayMs };
	}

	/** Returns how long it takes until this many slots are free, or all that a minute allows. */
	private delayMs(queue: Queue, requests: number): number {
		const lacking = Math.min(this.slots.length, requests - this.freeSlots(queue));
		const freedAt = this.slots.map(({ endedAt }) => Math.min(endedAt, this.now) + MINUTE_MS);
		return (freedAt.sort((a, b) => a - b)[lacking - 1] ?? this.now) - this.now;
	}
}
