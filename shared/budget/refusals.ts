const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
/** Longest time to which the waits grow by themselves. The service may ask for a longer one. */
const LONGEST_WAIT_MS = 15 * MINUTE_MS;
const LONGEST_GROWTH_MS = 60 * MINUTE_MS;

/** A request that the service has refused because there were too many (status 429). */
export interface Refusal {
	/** When the request was sent. */
	sentAt: number;
	/** How long the service asks to wait, in milliseconds, where it does. */
	retryAfterMs: number | undefined;
	/** How many requests the service has accepted in the minute before. */
	accepted: number;
}

/**
 * What an account has learned from refusals. The operator asks to wait as long as `Retry-After` says, else a minute and
 * then exponentially longer, and may ban who goes on (service interface, "Rate Limits").
 *
 *           refused                       time is over            accepted
 *   open ───────────▶ stopped ──────────────────────▶ one request ─────────▶ open, with fewer requests a minute
 *                        ▲      refused: twice as long     │
 *                        └─────────────────────────────────┘
 *
 * After a refusal no more requests are sent in a minute than were accepted in the minute before it. Each minute without a
 * refusal adds a tenth; whatever goes beyond the number that has been accepted is sent one at a time, so that a refusal
 * costs one request.
 */
export class Refusals {
	/** Until when nothing may be sent. */
	stoppedUntil = -Infinity;

	/** Whether nothing has been accepted since the account was stopped. */
	isProbing = false;

	/** How many requests a minute are known to be accepted; Infinity as long as none has been refused. */
	proven = Infinity;

	private stoppedAt = -Infinity;

	private waitMs = 0;

	/** The number to which the last refusal has lowered the budget, and from which it grows. */
	private restored = Infinity;

	private growsFrom = Infinity;

	private growthMs = MINUTE_MS;

	/** Whether a request goes beyond what is known to be accepted, so that it is to be sent alone. */
	isVentured(count: number): boolean {
		return this.isProbing || count >= this.proven;
	}

	/** How many requests a minute are allowed at the moment, of as many as are set. */
	allowed(setting: number, now: number): number {
		if (this.restored === Infinity) return setting;
		const steps = Math.max(0, Math.floor((now - this.growsFrom) / this.growthMs));
		return Math.min(setting, this.restored + steps * this.stepOf(setting));
	}

	/** When the number of requests grows; undefined where it does not grow. */
	growsAt(setting: number, now: number): number | undefined {
		if (this.growsFrom === Infinity || this.allowed(setting, now) >= setting) return undefined;
		const steps = Math.floor((now - this.growsFrom) / this.growthMs);
		return this.growsFrom + (steps + 1) * this.growthMs;
	}

	refuse({ sentAt, retryAfterMs, accepted }: Refusal, now: number): void {
		const askedMs = retryAfterMs === undefined ? undefined : Math.max(SECOND_MS, retryAfterMs);
		if (sentAt <= this.stoppedAt) {
			// It was under way when another one was refused.
			this.stop(Math.max(this.stoppedUntil, now + (askedMs ?? this.waitMs)));
			return;
		}
		if (this.isProbing) {
			this.waitMs = Math.max(askedMs ?? 0, Math.min(LONGEST_WAIT_MS, 2 * this.waitMs));
		} else {
			const isGrowing = this.restored !== Infinity;
			this.growthMs = isGrowing ? Math.min(LONGEST_GROWTH_MS, 2 * this.growthMs) : MINUTE_MS;
			this.restored = Math.max(1, accepted);
			this.proven = this.restored;
			this.waitMs = askedMs ?? MINUTE_MS;
		}
		this.stoppedAt = now;
		this.stop(now + this.waitMs);
	}

	/**
	 * @param sentAt when the request was sent.
	 * @param accepted how many requests the service has accepted in the last minute, this one included.
	 */
	accept(sentAt: number, accepted: number, setting: number, now: number): void {
		if (sentAt <= this.stoppedAt) return;
		if (this.isProbing) {
			this.isProbing = false;
			this.growsFrom = now;
		}
		this.proven = Math.max(this.proven, accepted);
		if (this.proven >= setting) {
			this.restored = Infinity;
			this.proven = Infinity;
		}
	}

	private stop(until: number): void {
		this.stoppedUntil = until;
		this.isProbing = true;
		this.growsFrom = Infinity;
	}

	private stepOf(setting: number): number {
		return Math.ceil((setting === Infinity ? this.restored : setting) / 10);
	}
}
