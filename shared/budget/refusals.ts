import { REQUESTS_PER_MINUTE } from '../../api/parameters';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../duration';

/** Longest time to which the waits grow by themselves. The service may ask for a longer one. */
const LONGEST_WAIT_MS = 15 * MINUTE_MS;
const LONGEST_GROWTH_MS = HOUR_MS;
const FORGOTTEN_AFTER_MS = HOUR_MS;

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
 *           refused                       time is over             accepted
 *   open ───────────▶ stopped ──────────────────────▶ one request ─────────▶ cautious ───▶ open
 *                        ▲      refused: twice as long     │                    │
 *                        └─────────────────────────────────┴────────────────────┘ refused
 *
 * After a refusal the account is cautious: it sends no more requests in a minute than were accepted in the minute before,
 * and one at a time, so that a refusal costs one request. Each minute without a refusal adds a tenth. It is open again
 * when the service has accepted as many in a minute as are set, or after an hour.
 */
export class Refusals {
	/** Until when nothing may be sent. */
	stoppedUntil = -Infinity;

	/** Whether nothing has been accepted since the account was stopped. */
	isProbing = false;

	private stoppedAt = -Infinity;

	private waitMs = 0;

	/** The number to which the last refusal has lowered the budget, and from which it grows; Infinity where it is open. */
	private restored = Infinity;

	private growthMs = MINUTE_MS;

	/** Whether requests are to be sent one at a time. */
	get isCautious(): boolean {
		return this.restored !== Infinity;
	}

	/** How many requests a minute are allowed at the moment, of as many as are set. */
	allowed(setting: number, now: number): number {
		// While it is probing, one request goes as soon as the service has said that it may.
		if (!this.isCautious || this.isProbing) return setting;
		return Math.min(setting, this.restored + this.steps(now) * this.stepOf(setting));
	}

	/** When the number of requests grows; undefined where it does not grow. */
	growsAt(setting: number, now: number): number | undefined {
		if (this.allowed(setting, now) >= setting) return undefined;
		return this.stoppedUntil + (this.steps(now) + 1) * this.growthMs;
	}

	refuse({ sentAt, retryAfterMs, accepted }: Refusal, setting: number, now: number): void {
		const askedMs = retryAfterMs === undefined ? undefined : Math.max(SECOND_MS, retryAfterMs);
		if (sentAt <= this.stoppedAt) {
			// It was under way when another one was refused.
			this.stop(
				now,
				Math.max(this.stoppedUntil, now + (askedMs ?? Math.max(MINUTE_MS, this.waitMs))),
			);
			return;
		}
		if (this.isProbing) {
			this.waitMs = Math.max(askedMs ?? MINUTE_MS, Math.min(LONGEST_WAIT_MS, 2 * this.waitMs));
		} else {
			this.lower(accepted, setting, now);
			this.waitMs = askedMs ?? MINUTE_MS;
		}
		this.stop(now, now + this.waitMs);
	}

	/**
	 * @param sentAt when the request was sent.
	 * @param accepted how many requests the service has accepted in the last minute, this one included.
	 */
	accept(sentAt: number, accepted: number, setting: number): void {
		if (sentAt <= this.stoppedAt) return;
		this.isProbing = false;
		if (accepted >= setting) this.restored = Infinity;
	}

	/** Forgets the refusals of long ago. */
	forget(setting: number, now: number): void {
		if (now - this.stoppedUntil < FORGOTTEN_AFTER_MS) return;
		const grown = this.restored + this.steps(now) * this.stepOf(setting);
		if (setting !== Infinity && grown < setting) return;
		this.restored = Infinity;
		this.isProbing = false;
	}

	/** The last good number is what was allowed before the last growth, or else what was accepted. */
	private lower(accepted: number, setting: number, now: number): void {
		const step = this.stepOf(setting);
		const steps = Math.min(this.steps(now), Math.ceil((setting - this.restored) / step));
		this.growthMs = this.isCautious ? Math.min(LONGEST_GROWTH_MS, 2 * this.growthMs) : MINUTE_MS;
		this.restored =
			this.isCautious && steps > 0 ? this.restored + (steps - 1) * step : Math.max(1, accepted);
	}

	private stop(now: number, until: number): void {
		this.stoppedAt = now;
		this.stoppedUntil = until;
		this.isProbing = true;
	}

	private steps(now: number): number {
		return Math.max(0, Math.floor((now - this.stoppedUntil) / this.growthMs));
	}

	/** Where nothing is set, a tenth of the published limit at least. */
	private stepOf(setting: number): number {
		const whole = setting === Infinity ? Math.max(REQUESTS_PER_MINUTE, this.restored) : setting;
		return Math.ceil(whole / 10);
	}
}
