import { HOUR_MS, MINUTE_MS } from '../duration';

/** Longest time for which a refusal postpones the next trial. */
const LONGEST_POSTPONEMENT_MS = 20 * MINUTE_MS;

/**
 * How many requests a minute an account may send.
 *
 * After a refusal, some nine tenths of what was accepted in the minute before are proven: so many are sent as usual. What
 * is more is tried. Each trial that is accepted is proven too; one that is refused postpones the next one. The whole number is
 * allowed again when it is proven, or after an hour without a refusal.
 *
 * What this is for was simulated (`testbed/simulation/`): going back to what was proven before, and not to what the trials
 * had reached, costs 4 instead of 10 refusals an hour beside others at a service that counts by full minutes. Several
 * trials at once take 60 sites of 0.6 seconds after a single refusal from 38 seconds to 13.
 */
export class Capacity {
	/** When the next trial may be sent. */
	nextTrialAt = -Infinity;

	private proven = Infinity;

	/** What was proven before the last trials: a service that counts by full minutes accepts more than it takes for a while. */
	private provenBefore = 0;

	/** What was proven when the trials began. */
	private triedFrom = 0;

	private refusedAt = -Infinity;

	private postponementMs = 0;

	/** Whether fewer requests than usual may be sent. */
	isLowered(now: number): boolean {
		if (now - this.refusedAt >= HOUR_MS) this.restore();
		return this.proven !== Infinity;
	}

	/** How many requests a minute may be sent, of as many as are set; at least one. */
	limit(setting: number, now: number): number {
		return this.isLowered(now) && now < this.nextTrialAt ? Math.min(setting, this.proven) : setting;
	}

	/** Whether one more request would be a trial, if so many were sent in the last minute. */
	isTrial(count: number, now: number): boolean {
		return this.isLowered(now) && count >= this.proven;
	}

	/** How many trials may be under way at once: the more, the more of them were accepted. */
	get concurrentTrials(): number {
		return 1 + Math.floor(Math.max(0, this.proven - this.triedFrom) / 4);
	}

	/** A trial was accepted. */
	prove(setting: number): void {
		this.proven += 1;
		if (this.proven >= setting) this.restore();
	}

	/**
	 * A request was refused.
	 *
	 * @param accepted how many were accepted in the minute before.
	 * @param stoppedUntil when the account may send again.
	 */
	lower(accepted: number, now: number, stoppedUntil: number): void {
		const MOST_PROVEN = 0.92;
		const proven = Math.max(1, Math.floor(MOST_PROVEN * accepted));
		if (this.isLowered(now)) {
			this.provenBefore = Math.min(proven, this.provenBefore + 1);
			this.postponementMs = Math.min(
				LONGEST_POSTPONEMENT_MS,
				Math.max(MINUTE_MS, 2 * this.postponementMs),
			);
			this.triedFrom = accepted;
		} else {
			this.provenBefore = proven;
			this.postponementMs = 0;
			this.triedFrom = proven;
		}
		this.proven = this.provenBefore;
		this.refusedAt = now;
		this.nextTrialAt = stoppedUntil + this.postponementMs;
	}

	private restore(): void {
		this.proven = Infinity;
	}
}
