import { nextPause as pauseBefore } from '../../../shared/retry';

/** How often and for how long a document is tried. */
export interface RetryLimits {
	/** How often a request is sent at most; refusals and exchanges of the token do not count. */
	maxTries: number;
	/** Time for the whole answer to one try, in milliseconds. */
	timeoutMs: number;
	/**
	 * Time for all tries of a document and the pauses between them, in milliseconds; the time in
	 * which it waits for its turn does not count, and the first try always gets its full timeout.
	 */
	maxTimeMs: number;
}

/** A request is not repeated with less time than this, or than its timeout, since an answer is then unlikely. */
const SHORTEST_TRY_MS = 1000;

/** The tries of a document, and the time left for them. The clock stops while a request waits for its turn. */
export class Tries {
	readonly totalMs: number;

	/** How many tries there have been, with the one that is under way. */
	tries = 0;

	private leftMs: number;

	constructor(private readonly limits: RetryLimits) {
		this.totalMs = Math.max(limits.maxTimeMs, limits.timeoutMs);
		this.leftMs = this.totalMs;
	}

	/** The time of the next try, in milliseconds. */
	beginTry(): number {
		this.tries += 1;
		return Math.min(this.limits.timeoutMs, this.leftMs);
	}

	/** Takes away what a try or a pause has taken. */
	spend(milliseconds: number): void {
		this.leftMs -= milliseconds;
	}

	/** How long a pause may take, in milliseconds, so that there is time for another try. */
	get longestPauseMs(): number {
		return this.leftMs - Math.min(SHORTEST_TRY_MS, this.limits.timeoutMs);
	}

	/**
	 * How long to wait before the next try, in milliseconds; undefined where there is to be none.
	 *
	 * @param askedMs how long the service asks to wait, where it does.
	 */
	nextPause(askedMs: number | undefined): number | undefined {
		// Counted from now: 0 is now, and the next try must begin after the longest pause at the latest.
		const limits = { maxTries: this.limits.maxTries, endsAt: this.longestPauseMs };
		return pauseBefore(this.tries, askedMs, limits, { now: 0, random: Math.random() });
	}
}
