import { pauseAfter } from '../../../service/retry';

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

/** The tries of a document, and the time left for them. Waiting for a turn takes none of it. */
export class Tries {
	/** How many there have been, with the one that is under way. */
	count = 0;

	readonly totalMs: number;

	private leftMs: number;

	constructor(private readonly limits: RetryLimits) {
		this.totalMs = Math.max(limits.maxTimeMs, limits.timeoutMs);
		this.leftMs = this.totalMs;
	}

	/** Begins the next one, and says how long it may take, in milliseconds. */
	begin(): number {
		this.count += 1;
		return Math.min(this.limits.timeoutMs, this.leftMs);
	}

	/** A try or a pause has taken so many milliseconds. */
	spend(milliseconds: number): void {
		this.leftMs -= milliseconds;
	}

	/** A pause must be shorter than this, in milliseconds, so that there is time for another try. */
	get longestPauseMs(): number {
		return this.leftMs - Math.min(SHORTEST_TRY_MS, this.limits.timeoutMs);
	}

	/**
	 * How long to wait before the next one, in milliseconds; undefined if this was the last one.
	 *
	 * @param askedMs how long the service asks to wait, if it does.
	 */
	pauseMs(askedMs?: number): number | undefined {
		if (this.count >= this.limits.maxTries) return undefined;
		const pauseMs = pauseAfter(this.count, askedMs);
		return pauseMs < this.longestPauseMs ? pauseMs : undefined;
	}
}
