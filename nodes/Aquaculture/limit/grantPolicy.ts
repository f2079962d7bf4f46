import { SECOND_MS } from '../utils/time';
import type { Cooldown } from './cooldown';
import type { HeldSlots } from './heldSlots';
import type { Pace } from './pacer';
import type { Queue } from './queue';
import type { QueueKind } from './queueKinds';

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
 * Decides which queue sends next at one moment. The rules, in the order of the methods below:
 *
 * 1. Slow start: few enough requests are in flight.
 * 2. Cooldown: no 429 has paused the account.
 * 3. Rate, reserve, share: a slot is free for the queue.
 * 4. Pacing: if the queue sends evenly, its next request is due.
 * 5. Order: of the queues left, a login is next, then a starved one, then the one that holds the fewest slots.
 */
export class GrantPolicy {
	/** Requests a minute: what the strictest credential in use allows, or less after a 429. */
	private readonly rate: number;
	/** The queue with the lowest rate. */
	private readonly strictest: Queue | undefined;

	/** @param queues whose requests wait, least recently served first. */
	constructor(
		private readonly now: number,
		private readonly cooldown: Cooldown,
		private readonly held: HeldSlots,
		private readonly queues: Iterable<Queue>,
	) {
		const inUse = [...queues, ...held.listInFlight().map(({ queue }) => queue)];
		[this.strictest] = inUse.sort((a, b) => a.requestsPerMinute - b.requestsPerMinute);
		this.rate = Math.min(this.strictest?.requestsPerMinute ?? Infinity, cooldown.rate(now));
	}

	/** Returns the queue that sends next; undefined if none may. */
	nextQueue(): Queue | undefined {
		const recently = this.now - MAX_IN_FLIGHT_MS;
		const inFlight = this.held.listInFlight().filter(({ sentAt }) => sentAt > recently);
		if (inFlight.length >= this.maxInFlight()) return undefined;
		const ready = [...this.queues].filter((queue) => this.isReady(queue));
		return ready.sort((a, b) => this.rank(a) - this.rank(b))[0];
	}

	/**
	 * Slow start: at most one request more is in flight than were allowed in the last minute, and at most a tenth of the rate.
	 * So if other programs have used up the minute, only one request is refused.
	 */
	private maxInFlight(): number {
		if (this.cooldown.isProbing(this.held)) return 1;
		return Math.min(this.held.allowedLastMinute + 1, Math.max(1, Math.floor(this.rate / 10)));
	}

	/** Returns whether a queue may send as soon as the slow start allows it. */
	isReady(queue: Queue): boolean {
		if (this.cooldown.remainingMs(this.now) > 0 || this.freeSlots(queue) <= 0) return false;
		const pace = this.pace(queue);
		return !pace || queue.pacer.isDue(this.now, pace);
	}

	/** Rate and share: returns how many slots a queue may take. All polls together hold half of them at most. */
	private freeSlots({ kind }: Queue): number {
		const share = kind.share?.(this.rate) ?? Infinity;
		return Math.min(this.maxHeld(kind) - this.held.size, share - this.held.heldBy(kind));
	}

	/** Reserve: returns how many slots may be held in all. The last ones are for logins, which others may be waiting for. */
	private maxHeld({ reserve }: QueueKind): number {
		return Math.ceil((1 - reserve) * this.rate);
	}

	/**
	 * Pacing: a queue that needs more slots than are free sends evenly. It has to wait for some of them anyway, and if
	 * it took all that are free, everybody else would wait until they expire. One that may not wait, or is starved, takes free
	 * slots as they come.
	 *
	 * For example, at 100 requests a minute, of which two are reserved for logins: an execution of 60 sites takes slots as they
	 * come, because it fits into the 98. One of 420 sites does not fit, so it sends one request each 0.65 seconds (93 a minute),
	 * and five slots a minute remain for others.
	 *
	 * @returns undefined if the queue takes free slots as they come.
	 */
	pace(queue: Queue): Pace | undefined {
		const fits = queue.demand <= this.freeSlots(queue);
		if (fits || !queue.mayWait || this.isStarved(queue)) return undefined;
		return queue.kind.pace?.(this.rate);
	}

	/** Order: the queue with the lowest rank is next. */
	private rank(queue: Queue): number {
		if (this.isStarved(queue)) return -1;
		return this.held.heldBy(queue) + (queue.kind.handicap?.(this.rate) ?? 0);
	}

	/** Starvation: many short executions, which hold fewer slots, have overtaken a long one for too long. */
	private isStarved(queue: Queue): boolean {
		return queue.unservedMs(this.now) >= (queue.kind.starvedAfterMs?.(this.rate) ?? Infinity);
	}

	/** Why queues wait. */
	get limitCause(): LimitState['limitCause'] {
		if (this.cooldown.remainingMs(this.now) > 0 || this.cooldown.isProbing(this.held)) {
			return 'cooldown';
		}
		return this.rate < (this.strictest?.requestsPerMinute ?? 0) ? 'reducedRate' : 'rate';
	}

	/** @param requests how many requests the queue wants to send. */
	describeLimit(queue: Queue, requests: number): LimitState {
		const { rate: requestsPerMinute, limitCause } = this;
		const credential = (this.strictest ?? queue).credentialName;
		const pausedForMs = this.cooldown.remainingMs(this.now);
		const delayMs = Math.max(pausedForMs, this.freeInMs(queue, requests));
		return { requestsPerMinute, credential, limitCause, delayMs };
	}

	/**
	 * Returns how long it takes until this many slots are free, or all that a minute allows.
	 *
	 * For example, if 90 of 98 slots are held and 20 are needed, 12 are lacking: they are free when the twelfth expires.
	 */
	private freeInMs({ kind }: Queue, requests: number): number {
		const lacking = this.held.size + requests - this.maxHeld(kind);
		const expiryTimes = this.held.expiryTimes(this.now);
		const lastNeeded = Math.min(lacking, expiryTimes.length);
		return (expiryTimes[lastNeeded - 1] ?? this.now) - this.now;
	}
}
