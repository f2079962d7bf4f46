import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../utils/time';
import type { HeldSlots } from './heldSlots';
import type { Slot } from './queue';

/** The published wait after a 429 without `Retry-After`: "at least one minute". */
const UNSTATED_PAUSE_MS = MINUTE_MS;
/** The maximum caps the doubling; `Retry-After` may be longer. */
const PAUSE_MS = { min: SECOND_MS, max: 15 * MINUTE_MS };
/** Keep a reduced rate this long before raising it. */
const HOLD_MS = { min: 4 * SECOND_MS, max: 15 * MINUTE_MS };
/** The reduced rate, as a part of what was allowed in the last minute: the rest is for the other programs that use the account. */
const REDUCTION_FACTOR = { first: 0.9, again: 0.7 };

/**
 * Slows the account down after a 429:
 *
 * 1. Pauses for `Retry-After`, or for a minute. Doubles the pause if the next request is refused too.
 * 2. Probes with one request at a time until one is allowed.
 * 3. Sends nine tenths of the requests that were allowed in the minute before the 429. After the hold time (four seconds,
 *    doubling with each 429 within an hour) the rate rises step by step, each step twice as large. After another 429 within the
 *    hold time, seven tenths of those that were allowed in the last minute.
 *
 * For example, with 100 requests allowed before the 429: 90 a minute for four seconds, then 99, 117, 153 … a minute, a step
 * each second (or tenth of the hold time, if that is longer), until the account's own rate applies.
 */
export class Cooldown {
	private startedAt = -Infinity;
	private resumesAt = -Infinity;
	private pauseMs = 0;
	private reducedRate = Infinity;
	private holdMs = 0;

	/**
	 * @param askedMs how long the service asks to wait; undefined if it does not say.
	 * @returns whether this starts a cooldown; false for another request that was in flight when it started.
	 */
	reportRateLimited(
		{ sentAt }: Slot,
		askedMs = UNSTATED_PAUSE_MS,
		held: HeldSlots,
		now: number,
	): boolean {
		if (sentAt <= this.startedAt) {
			// It was in flight when the cooldown started, so it may only make this one longer.
			this.resumesAt = Math.max(this.resumesAt, now + askedMs);
			return false;
		}
		// These depend on the cooldown before this one.
		const isRepeated = now - this.startedAt <= HOUR_MS;
		const doubledMs = this.isProbing(held)
			? Math.min(PAUSE_MS.max, 2 * this.pauseMs)
			: PAUSE_MS.min;
		const wasReduced = now < this.resumesAt + this.holdMs;
		const factor = wasReduced ? REDUCTION_FACTOR.again : REDUCTION_FACTOR.first;
		const reduced = Math.max(1, Math.floor(factor * held.allowedLastMinute));
		this.reducedRate = held.allowedLastMinute > 0 ? reduced : this.rate(now);
		this.holdMs = isRepeated ? Math.min(HOLD_MS.max, 2 * this.holdMs) : HOLD_MS.min;
		this.pauseMs = Math.max(askedMs, doubledMs);
		this.startedAt = now;
		this.resumesAt = now + this.pauseMs;
		return true;
	}

	/** Returns whether none of the requests that were sent after a 429 has been allowed yet. */
	isProbing({ lastAllowedSentAt }: HeldSlots): boolean {
		return this.startedAt > -Infinity && lastAllowedSentAt <= this.startedAt;
	}

	/** Returns how long nothing may be sent. */
	remainingMs(now: number): number {
		return Math.max(0, this.resumesAt - now);
	}

	/** Returns how many requests a minute may be sent; Infinity if there was no 429. */
	rate(now: number): number {
		const raisedForMs = now - this.resumesAt - this.holdMs;
		if (raisedForMs < 0) return this.reducedRate;
		const raises = 1 + Math.floor(raisedForMs / Math.max(SECOND_MS, this.holdMs / 10));
		return this.reducedRate + (2 ** raises - 1) * Math.max(1, Math.floor(this.reducedRate / 10));
	}
}
