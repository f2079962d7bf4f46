import { SECOND_MS } from '../utils/time';
import type { Cooldown } from './cooldown';
import type { HeldSlots } from './heldSlots';
import type { Pace } from './pacer';
import type { Queue } from './queue';

/** Requests unanswered for this long no longer count as in flight. */
const MAX_IN_FLIGHT_MS = 3 * SECOND_MS;

/** Which rate applies to a queue and why, and how long its requests have to wait. */
export interface LimitState {
	/** After a 429, less than a credential allows. */
	requestsPerMinute: number;
	/** The name of the credential whose rate applies, if it is known. */
	credential?: string | undefined;
	limitCause: 'rate' | 'cooldown' | 'reducedRate';
	/** How long it takes until enough slots are free, or all that a minute allows. Polls may wait longer, for their share. */
	delayMs: number;
}

/**
 * Decides who may send at one moment. A slot is granted if the account is not paused, few enough requests are in flight (slow
 * start), and a queue has a slot available (rate, shares) and is due (pacing). Of several such queues, the one with the lowest
 * rank is next.
 */
export class GrantPolicy {
	/** Requests a minute: what the strictest credential in use allows, or less after a 429. */
	private readonly rate: number;
	/** The queue with the lowest rate. */
	private readonly strictest: Queue | undefined;
	/** How long nothing may be sent after a 429. */
	private readonly pausedForMs: number;
	private readonly isProbing: boolean;

	/** @param queues whose requests wait, least recently served first. */
	constructor(
		private readonly now: number,
		cooldown: Cooldown,
		private readonly held: HeldSlots,
		private readonly queues: Iterable<Queue>,
	) {
		this.strictest = findStrictest([...queues, ...held.queuesInFlight()]);
		this.rate = Math.min(this.strictest?.requestsPerMinute ?? Infinity, cooldown.rate(now));
		this.pausedForMs = cooldown.remainingMs(now);
		this.isProbing = cooldown.isProbing(held.lastAllowedSentAt);
	}

	/** Returns the queue that sends next: a login, then a starved one, then the one that holds the fewest slots. */
	nextQueue(): Queue | undefined {
		if (this.held.countInFlight(this.now - MAX_IN_FLIGHT_MS) >= this.maxInFlight())
			return undefined;
		const ready = [...this.queues].filter((queue) => !this.holdsUp(queue));
		return ready.sort((a, b) => this.rank(a) - this.rank(b))[0];
	}

	/** Returns whether a queue waits for more than the answers to requests in flight. */
	holdsUp(queue: Queue): boolean {
		if (this.pausedForMs > 0 || this.availableSlots(queue) <= 0) return true;
		const pace = this.pace(queue);
		return pace !== undefined && !queue.pacer.isDue(this.now, pace);
	}

	/**
	 * Slow start: at most one request more is in flight than were allowed in the last minute, and at most a tenth of the rate.
	 * So if other programs have used up the minute, only one request is refused.
	 */
	private maxInFlight(): number {
		if (this.isProbing) return 1;
		return Math.min(this.held.allowedLastMinute + 1, Math.max(1, Math.floor(this.rate / 10)));
	}

	/** Shares: returns how many slots a queue may take. */
	private availableSlots(queue: Queue): number {
		const share = queue.kind.share?.(this.rate) ?? Infinity;
		return Math.min(this.freeSlots(queue), share - this.held.heldBy(queue.kind));
	}

	private freeSlots({ kind }: Queue): number {
		return Math.ceil((1 - kind.reserve) * this.rate) - this.held.size;
	}

	/**
	 * Pacing: a queue that needs more than is available to it sends evenly, so that others find a free slot at any time. One that
	 * cannot wait, or has waited too long, takes every free slot.
	 *
	 * For example, at 100 requests a minute, of which two are reserved for logins: an execution of 60 sites takes the free slots
	 * as fast as they come, because it fits into the 98. One of 420 sites does not fit, so it sends one request each 0.65
	 * seconds (93 a minute), and five slots a minute remain for others.
	 */
	pace(queue: Queue): Pace | undefined {
		if (queue.demand <= this.availableSlots(queue)) return undefined;
		if (!queue.mayWait || this.isStarved(queue)) return undefined;
		return queue.kind.pace?.(this.rate);
	}

	private rank(queue: Queue): number {
		return this.isStarved(queue) ? -1 : queue.kind.rank(this.held.heldBy(queue), this.rate);
	}

	/** Returns whether many short executions have held up a long one for too long. */
	private isStarved(queue: Queue): boolean {
		return queue.unservedMs(this.now) >= (queue.kind.starvedAfterMs?.(this.rate) ?? Infinity);
	}

	describeLimit(queue: Queue, requests: number): LimitState {
		const { requestsPerMinute, credentialName: credential } = this.strictest ?? queue;
		const isCoolingDown = this.pausedForMs > 0 || this.isProbing;
		const isReduced = this.rate < requestsPerMinute;
		const limitCause = isCoolingDown ? 'cooldown' : isReduced ? 'reducedRate' : 'rate';
		const delayMs = Math.max(this.pausedForMs, this.delayMs(queue, requests));
		return { requestsPerMinute: this.rate, credential, limitCause, delayMs };
	}

	private delayMs(queue: Queue, requests: number): number {
		const lacking = Math.min(this.held.size, requests - this.freeSlots(queue));
		return (this.held.expiryTimes(this.now)[lacking - 1] ?? this.now) - this.now;
	}
}

function findStrictest(queues: readonly Queue[]): Queue | undefined {
	let [strictest] = queues;
	for (const queue of queues) {
		if (strictest && queue.requestsPerMinute < strictest.requestsPerMinute) strictest = queue;
	}
	return strictest;
}
