import type { Clock } from '../utils/time';

/**
 * A wait that doubles each time that it begins, up to a maximum, until it is ended. `tokenSource.ts` says how long each one is. All times
 * in milliseconds.
 */
export class Backoff {
	/** How often it has begun since it was ended. */
	private count = 0;
	private endsAt = -Infinity;

	constructor(
		private readonly clock: Clock,
		private readonly minMs: number,
		private readonly maxMs: number,
	) {}

	/** @param askedMs the wait that somebody asks for, if it is longer. @returns how long to wait. */
	begin(askedMs = 0): number {
		const waitMs = Math.max(askedMs, Math.min(this.maxMs, this.minMs * 2 ** this.count));
		this.count += 1;
		this.endsAt = this.clock.now() + waitMs;
		return waitMs;
	}

	get remainingMs(): number {
		return Math.max(0, Math.ceil(this.endsAt - this.clock.now()));
	}

	/** Ends it. The next one is the shortest again. */
	end(): void {
		this.count = 0;
		this.endsAt = -Infinity;
	}
}
