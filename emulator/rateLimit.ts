/** The package's own one comes with n8n-workflow, which takes half a second to load. */
export const MINUTE_MS = 60_000;

/**
 * Counts the requests of each account in a sliding window of a minute. The operator publishes only the number and the
 * minute, not the kind of window, or whether logins count.
 */
export class RateLimit {
	/** Accepted requests only. */
	private readonly arrivals = new Map<string, number[]>();

	/**
	 * Counts a request unless it exceeds the limit.
	 *
	 * @param requestsPerMinute 0 for no limit.
	 * @returns milliseconds until the account may send again; 0 if the request is accepted.
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
