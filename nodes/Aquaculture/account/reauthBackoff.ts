import { MINUTE_MS, SECOND_MS } from '../messages/duration';

/** Time between two logins for rejected tokens. Doubles as long as the logins do not help. */
const INTERVAL_MS = { min: 30 * SECOND_MS, max: 30 * MINUTE_MS };

/** Spaces out the logins that follow rejected tokens: a document that the account may not read would cause one each time. */
export class ReauthBackoff {
	private lastAt = -Infinity;
	/** How many logins in a row have not helped, as far as is known. */
	private unhelpful = 0;

	/** Starts a login, unless that is too early. It counts as unhelpful until {@link succeeded}. */
	tryStart(now: number): boolean {
		const sinceMs = now - this.lastAt;
		const grownMs = INTERVAL_MS.min * 2 ** Math.max(0, this.unhelpful - 1);
		const intervalMs = Math.min(INTERVAL_MS.max, grownMs);
		if (sinceMs < intervalMs) return false;
		// After this long without a rejection, it has nothing to do with the last one.
		if (sinceMs > 3 * intervalMs) this.unhelpful = 0;
		this.lastAt = now;
		this.unhelpful += 1;
		return true;
	}

	/** What was rejected has been accepted with the new token. */
	succeeded(): void {
		this.unhelpful = 0;
	}

	/** Returns how long to wait for the next login, in milliseconds; undefined if it is not likely to help. */
	delayMs(now: number): number | undefined {
		return this.unhelpful === 0 ? this.lastAt + INTERVAL_MS.min - now : undefined;
	}
}
