import { MINUTE_MS } from '../utils/time';

/** How fast a queue sends if it sends evenly. */
export interface Pace {
	perMinute: number;
	/** How many requests it may send immediately after a pause. */
	burst: number;
}

/**
 * Spaces the requests of a queue that sends evenly. A balance grows with time, up to the burst, and each request takes one from
 * it. (This is a token bucket, but a token is an access token in this package.)
 *
 * For example, at 93 a minute with a burst of two: two requests are due immediately, then one each 0.65 seconds. If none is
 * sent for 1.3 seconds, two are due again.
 */
export class Pacer {
	/** The balance after the latest request. */
	private balance = 0;
	/** The distant past, so that the balance is full at first. */
	private sentAt = -Infinity;

	/** Returns whether the next request may be sent. */
	isDue(now: number, pace: Pace): boolean {
		return this.balanceAt(now, pace) >= 1;
	}

	/** Takes one from the balance, for a request that is sent now. */
	recordSent(now: number, pace: Pace): void {
		this.balance = this.balanceAt(now, pace) - 1;
		this.sentAt = now;
	}

	private balanceAt(now: number, { perMinute, burst }: Pace): number {
		return Math.min(burst, this.balance + ((now - this.sentAt) * perMinute) / MINUTE_MS);
	}
}
