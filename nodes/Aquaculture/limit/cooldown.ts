import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../utils/time';
import type { Slot } from './queue';

/** The published wait after a 429 without `Retry-After`: "at least one minute". */
const UNSTATED_PAUSE_MS = MINUTE_MS;
/** At least, even if `Retry-After` is 0, and where the doubling ends; `Retry-After` may be longer. */
const PAUSE_MS = { min: SECOND_MS, max: 15 * MINUTE_MS };
/** If nobody sees the answers, probe this long after the pause. */
const UNSEEN_PROBES_MS = MINUTE_MS;
/** Keep a reduced rate this long before raising it. */
const HOLD_MS = { min: 4 * SECOND_MS, max: 15 * MINUTE_MS };
/** The reduced rate, as a part of what was allowed in the last minute: the rest is for other programs that use the account. */
const REDUCTION_FACTOR = 0.9;

/**
 * Slows the account down after a 429:
 *
 * 1. Pauses for `Retry-After`, or for a minute.
 * 2. Probes with one request at a time until one is allowed, or for a minute if nobody sees the answers. If one is refused, pauses
 *    again, twice as long.
 * 3. Sends nine tenths of the requests that were allowed in the minute before the 429. After the hold time (four seconds, doubling
 *    with each cooldown within an hour), the rate doubles with each tenth of that time, until the account's own rate applies.
 *
 * For example, after a first 429 that followed 20 allowed requests: 18 a minute for four seconds, 100 a second later.
 *
 * Pauses and slow start alone would not do: the service may ban an account that it keeps refusing. Beside a program that uses 70 of 100
 * requests a minute, the first hour would have 46 refusals instead of 15, and two n8n processes that share an account 78 instead of
 * 10 (`test/simulation`).
 */
export class Cooldown {
	private startedAt = -Infinity;
	private resumesAt = -Infinity;
	private pauseMs = 0;
	/** Infinity if the rate is not reduced, as before the first 429. */
	private reducedRate = Infinity;
	private holdMs = 0;
	/** True from a 429 until a request that was sent after it is allowed. */
	isProbing = false;

	/**
	 * @param askedMs how long the service asks to wait; undefined if it does not say.
	 * @returns whether this starts a cooldown; false for another request that was in flight when it started.
	 */
	recordRefused(
		{ sentAt }: Slot,
		allowedLastMinute: number,
		now: number,
		askedMs = UNSTATED_PAUSE_MS,
	): boolean {
		if (sentAt <= this.startedAt) {
			// It was in flight when the cooldown started, so it may only make this one longer.
			this.resumesAt = Math.max(this.resumesAt, now + askedMs);
			return false;
		}
		const isRepeated = now - this.startedAt <= HOUR_MS;
		const isDoubled = this.isProbing && isRepeated;
		const doubledMs = isDoubled ? Math.min(PAUSE_MS.max, 2 * this.pauseMs) : PAUSE_MS.min;
		this.pauseMs = Math.max(askedMs, doubledMs);
		// Only a refusal after allowed requests tells how many the service allows. After any other, the rate stays.
		const revealsRate = !this.isProbing && allowedLastMinute > 0;
		const reducedRate = Math.max(1, REDUCTION_FACTOR * allowedLastMinute);
		this.reducedRate = revealsRate ? reducedRate : this.rate(now);
		this.holdMs = isRepeated ? Math.min(HOLD_MS.max, 2 * this.holdMs) : HOLD_MS.min;
		this.isProbing = true;
		this.startedAt = now;
		this.resumesAt = now + this.pauseMs;
		return true;
	}

	recordAllowed({ sentAt }: Slot): void {
		if (sentAt > this.startedAt) this.isProbing = false;
	}

	/** Records a request whose answer nobody sees: it may have got a 429, but others must not wait for ever for one that is seen. */
	recordAssumed({ sentAt }: Slot): void {
		if (sentAt > this.resumesAt + UNSEEN_PROBES_MS) this.isProbing = false;
	}

	/** Returns how long nothing may be sent. */
	remainingMs(now: number): number {
		return Math.max(0, this.resumesAt - now);
	}

	/** Returns how many requests a minute may be sent; Infinity if that is not reduced. */
	rate(now: number): number {
		if (this.reducedRate === Infinity) return Infinity;
		const raisedForMs = Math.max(0, now - this.resumesAt - this.holdMs);
		return Math.floor(this.reducedRate * 2 ** (raisedForMs / (this.holdMs / 10)));
	}
}
