/** Limits logins that follow rejected requests, because a new token may not help. */
export class ReauthBackoff {
	private lastAt = -Infinity;
	/** How many logins in a row have not helped. A login counts as one of them until {@link reportSucceeded}. */
	private failuresInARow = 0;

	/** @param intervalMs time between two logins. It starts at the minimum, and doubles while logins do not help. */
	constructor(private readonly intervalMs: { min: number; max: number }) {}

	/** Returns whether a login may be made now, and counts it. */
	tryStart(now: number): boolean {
		const { min, max } = this.intervalMs;
		const sinceMs = now - this.lastAt;
		if (sinceMs < Math.min(max, min * 2 ** Math.max(0, this.failuresInARow - 1))) return false;
		// A failure so much later has another cause than the last one.
		if (sinceMs > 3 * max) this.failuresInARow = 0;
		this.lastAt = now;
		this.failuresInARow += 1;
		return true;
	}

	/** The service has accepted the new token where it had rejected the old one. */
	reportSucceeded(): void {
		this.failuresInARow = 0;
	}

	/** Whether the last login has helped. */
	get lastLoginHelped(): boolean {
		return this.failuresInARow === 0;
	}

	/** Returns how long to wait for the next login, in milliseconds; undefined if it is not likely to help. */
	delayMs(now: number): number | undefined {
		// A timer of Node.js may be a fraction of a millisecond early.
		return this.lastLoginHelped ? Math.ceil(this.lastAt + this.intervalMs.min - now) : undefined;
	}
}
