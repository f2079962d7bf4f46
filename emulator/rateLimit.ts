export const MINUTE_MS = 60_000;

/**
 * Counts the requests of each account in a sliding window.
 *
 * The operator publishes the number and the minute. Not shown is for whom it counts, whether logins do, and what form the
 * window has.
 */
export class RateLimit {
	/** When the requests of each account that were not refused arrived. */
	private readonly arrivals = new Map<string, number[]>();

	/**
	 * Counts a request, unless it is above the limit.
	 *
	 * @param requestsPerMinute 0: no limit.
	 * @returns milliseconds until the account may send a request; 0 if this one is accepted.
	 */
	waitMs(account: string, requestsPerMinute: number, now: number): number {
		if (requestsPerMinute === 0) return 0;
		const arrivals = this.arrivals.get(account) ?? [];
		const inWindow = arrivals.filter((arrival) => now - arrival < MINUTE_MS);
		const oldest = inWindow[inWindow.length - requestsPerMinute];
		if (oldest !== undefined) return oldest + MINUTE_MS - now;
		this.arrivals.set(account, [...inWindow, now]);
		return 0;
	}

	clear(): void {
		this.arrivals.clear();
	}
}
