import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../utils/time';

/** How long to pause. The maximum caps the doubling; `Retry-After` may be longer. */
const PAUSE_MS = { min: SECOND_MS, max: 15 * MINUTE_MS };
/** Keep a reduced rate this long before raising it. Doubles with each 429 within an hour. */
const HOLD_MS = { min: 4 * SECOND_MS, max: 15 * MINUTE_MS };
/** The reduced rate, as a part of what was accepted in the last minute; the smaller part if even a reduced rate was too high. */
const REDUCTION_FACTOR = { first: 0.9, again: 0.7 };

/** A 429. Times by the limiter's clock. */
interface RateLimited {
	now: number;
	sentAt: number;
	/** How long the service asks to wait. */
	askedMs: number;
	/** How many requests the service has accepted in the minute before. */
	acceptedLastMinute: number;
}

/**
 * Slows the account down after a 429:
 *
 * 1. Pauses for `Retry-After`, or for a minute. Doubles the pause if the next request is refused too.
 * 2. Probes with one request at a time until one is accepted.
 * 3. Allows nine tenths of the requests that were accepted in the minute before the 429. After the hold time (four seconds,
 *    doubling with each 429 within an hour) the rate rises step by step, each step twice as large. A 429 before that cuts it
 *    to seven tenths.
 *
 * For example, with 100 requests accepted before the 429: 90 a minute for four seconds, then 99, 117, 153 … a minute, a step
 * each second (or tenth of the hold time, if that is longer), until the account's own rate applies.
 *
 * Times are in milliseconds by the limiter's clock.
 */
export class Cooldown {
	private startedAt = -Infinity;
	until = -Infinity;
	private lengthMs = 0;
	/** Whether no request that was sent after the 429 has been accepted yet. */
	isProbing = false;
	private reducedRate = Infinity;
	private holdMs = 0;

	/** @returns whether this starts a cooldown; false for another request that was in flight when it started. */
	reportRateLimited({ now, sentAt, askedMs, acceptedLastMinute }: RateLimited): boolean {
		if (sentAt <= this.startedAt) {
			// It was in flight when the cooldown started, so it may only make this one longer.
			this.until = Math.max(this.until, now + Math.max(askedMs, this.lengthMs));
			return false;
		}
		const isRepeated = now - this.startedAt <= HOUR_MS;
		const doubledMs = this.isProbing ? Math.min(PAUSE_MS.max, 2 * this.lengthMs) : PAUSE_MS.min;
		const part = now < this.until + this.holdMs ? REDUCTION_FACTOR.again : REDUCTION_FACTOR.first;
		const reduced = Math.max(1, Math.floor(part * acceptedLastMinute));
		this.reducedRate = acceptedLastMinute > 0 ? reduced : this.rate(now);
		this.holdMs = isRepeated ? Math.min(HOLD_MS.max, 2 * this.holdMs) : HOLD_MS.min;
		this.lengthMs = Math.max(askedMs, doubledMs);
		this.startedAt = now;
		this.until = now + this.lengthMs;
		this.isProbing = true;
		return true;
	}

	reportAccepted(sentAt: number): void {
		if (sentAt > this.startedAt) this.isProbing = false;
	}

	/** How many requests a minute may be sent; Infinity if there was no 429. */
	rate(now: number): number {
		const raisedForMs = now - this.until - this.holdMs;
		if (raisedForMs < 0) return this.reducedRate;
		const raises = 1 + Math.floor(raisedForMs / Math.max(SECOND_MS, this.holdMs / 10));
		return this.reducedRate + (2 ** raises - 1) * Math.max(1, Math.floor(this.reducedRate / 10));
	}

	hasExpired(now: number): boolean {
		return now > Math.max(this.startedAt, this.until) + HOUR_MS;
	}
}
