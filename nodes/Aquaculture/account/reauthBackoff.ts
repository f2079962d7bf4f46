import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../messages/duration';

/** No login for so long after a refused one: repeating it could lock the account. It doubles each time. */
const REFUSED_MS = { first: 30 * SECOND_MS, longest: HOUR_MS };
/** No login for so long after any other failure: it would be repeated for every item. The service may ask for longer. */
const FAILED_MS = { first: 5 * SECOND_MS, longest: 5 * MINUTE_MS };
/** A login for a rejected token comes so long after the last one. It doubles as long as such logins do not help. */
const REJECTED_MS = { first: 30 * SECOND_MS, longest: 30 * MINUTE_MS };

/** How long no login is made after one that was refused, in milliseconds. @param refusals how many there were in a row. */
export function pauseAfterRefusals(refusals: number): number {
	return Math.min(REFUSED_MS.longest, REFUSED_MS.first * 2 ** (refusals - 1));
}

/** How long no login is made after one that failed for another reason, in milliseconds. @param askedMs by the service. */
export function pauseAfterFailure(askedMs = 0): number {
	return Math.min(FAILED_MS.longest, Math.max(FAILED_MS.first, askedMs));
}

/** The logins that rejected tokens have caused. Times are by the clock of the account, in milliseconds. */
export class RejectionLogins {
	private lastAt = -Infinity;

	/** How many in a row have not helped, as far as is known. */
	private unhelpful = 0;

	/**
	 * A token was rejected.
	 *
	 * @returns whether a login is made now, which counts as unhelpful until it has helped; false if that is too early.
	 */
	tryBegin(now: number): boolean {
		const sinceMs = now - this.lastAt;
		const grownMs = REJECTED_MS.first * 2 ** Math.max(0, this.unhelpful - 1);
		const pauseMs = Math.min(REJECTED_MS.longest, grownMs);
		if (sinceMs < pauseMs) return false;
		// Nothing was rejected for so long that it has nothing to do with the last one.
		if (sinceMs > 3 * pauseMs) this.unhelpful = 0;
		this.lastAt = now;
		this.unhelpful += 1;
		return true;
	}

	/** What was rejected is accepted with the new token. */
	noteHelped(): void {
		this.unhelpful = 0;
	}

	/** How long until the next login may be made, which will probably help; undefined if the last one has not. */
	delayMs(now: number): number | undefined {
		return this.unhelpful === 0 ? this.lastAt + REJECTED_MS.first - now : undefined;
	}
}
