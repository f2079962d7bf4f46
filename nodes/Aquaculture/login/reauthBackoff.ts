/** Spaces out the logins that replace a token which may be good. Unless reported otherwise, they count as unhelpful. */
export class ReauthBackoff {
	private lastAt = -Infinity;
	/** How many logins in a row have not helped, as far as is known. */
	private failuresInARow = 0;

	/** @param intervalMs time between two logins: the minimum doubles up to the maximum while they do not help. */
	constructor(private readonly intervalMs: { min: number; max: number }) {}

	/** Starts a login, unless that is too early. It counts as a failure until {@link reportSucceeded}. */
	tryStart(now: number): boolean {
		const { min, max } = this.intervalMs;
		const sinceMs = now - this.lastAt;
		if (sinceMs < Math.min(max, min * 2 ** Math.max(0, this.failuresInARow - 1))) return false;
		// After this long, it has nothing to do with the last one.
		if (sinceMs > 3 * max) this.failuresInARow = 0;
		this.lastAt = now;
		this.failuresInARow += 1;
		return true;
	}

	/** What was rejected has been accepted with the new token. */
	reportSucceeded(): void {
		this.failuresInARow = 0;
	}

	/** Whether what was rejected has been accepted since the last login. */
	get hasHelped(): boolean {
		return this.failuresInARow === 0;
	}

	/** Returns how long to wait for the next login, in milliseconds; undefined if it is not likely to help. */
	delayMs(now: number): number | undefined {
		// A timer of Node.js may be a fraction of a millisecond early.
		return this.hasHelped ? Math.ceil(this.lastAt + this.intervalMs.min - now) : undefined;
	}
}
