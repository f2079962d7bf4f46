export const MINUTE_MS = 60_000;

/** How many requests an account may send, and what becomes of one that goes on. */
export interface LimitSettings {
	/** Requests of an account in any 60 seconds, logins among them; what is above is answered with 429. 0: no limit. */
	requestsPerMinute: number;
	/** Refusals after which the account is banned: it gets 403 until a reset. Left out: it never is. */
	banAfter?: number | undefined;
}

/**
 * Counts the requests of each account in a sliding window, and its refusals.
 *
 * The operator publishes the number and the minute. Not shown is for whom it counts, whether logins do, what form the
 * window has, and after how many refusals a ban comes.
 */
export class RateLimit {
	/** When the requests of each account that count arrived. */
	private readonly arrivals = new Map<string, number[]>();

	private readonly refusals = new Map<string, number>();

	/** @param settings may change at any time. */
	constructor(private readonly settings: LimitSettings) {}

	/** Milliseconds until the account may send a request; 0 if it may do so now. */
	waitMs(account: string, now: number): number {
		const { requestsPerMinute } = this.settings;
		if (requestsPerMinute === 0) return 0;
		const inWindow = this.inWindow(account, now);
		const oldest = inWindow[inWindow.length - requestsPerMinute];
		return oldest === undefined ? 0 : oldest + MINUTE_MS - now;
	}

	/** Counts a request that was not refused; without a limit, none is counted. */
	count(account: string, now: number): void {
		if (this.settings.requestsPerMinute === 0) return;
		this.arrivals.set(account, [...this.inWindow(account, now), now]);
	}

	/**
	 * Counts a refusal.
	 *
	 * @returns whether the account is banned from now on.
	 */
	countRefusal(account: string): boolean {
		if (this.isBanned(account)) return false;
		this.refusals.set(account, (this.refusals.get(account) ?? 0) + 1);
		return this.isBanned(account);
	}

	isBanned(account: string): boolean {
		const { banAfter } = this.settings;
		return banAfter !== undefined && (this.refusals.get(account) ?? 0) >= banAfter;
	}

	clear(): void {
		this.arrivals.clear();
		this.refusals.clear();
	}

	private inWindow(account: string, now: number): number[] {
		const arrivals = this.arrivals.get(account) ?? [];
		return arrivals.filter((arrival) => now - arrival < MINUTE_MS);
	}
}
