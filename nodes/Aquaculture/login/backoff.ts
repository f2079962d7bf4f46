import { HOUR_MS, MINUTE_MS, SECOND_MS, type Clock } from '../utils/time';

/** How long to wait before the next login, from and to. `tokenSource.ts` says what each wait holds up. */
export const LOGIN_WAITS = {
	afterRefusedLogin: { minMs: 30 * SECOND_MS, maxMs: HOUR_MS },
	afterFailedLogin: { minMs: 5 * SECOND_MS, maxMs: 5 * MINUTE_MS },
	/** After a login that a 401 caused. Short for a test event, which has 28 seconds. */
	afterRelogin: { minMs: 10 * SECOND_MS, maxMs: 10 * SECOND_MS },
	/** After a login that a failed request of an HTTP Request node caused. */
	afterRenewal: { minMs: 5 * MINUTE_MS, maxMs: 5 * MINUTE_MS },
};

/** A wait that doubles each time that it begins, up to a maximum, until it is ended. It stays the same if its bounds are equal. */
export class Backoff {
	/** How often it has begun since it was ended. */
	private count = 0;
	private endsAt = -Infinity;

	constructor(
		private readonly clock: Clock,
		private readonly bounds: { minMs: number; maxMs: number },
	) {}

	/** @returns how long to wait. */
	begin(): number {
		const { minMs, maxMs } = this.bounds;
		const waitMs = Math.min(maxMs, minMs * 2 ** this.count);
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
