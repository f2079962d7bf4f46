import { HOUR_MS, MINUTE_MS } from '../../../shared/duration';

/** A site that is this late is a failure. */
const LATE_MS = HOUR_MS;

/**
 * The order in which a trigger asks for its sites if a poll cannot ask for all of them: those that have waited longest come
 * first. It is kept in memory only: after a restart, the trigger begins with the first site again.
 */
export class Rotation {
	/** For each site: since what time (in milliseconds) and since which poll it waits, and whether it was ever asked for. */
	private readonly waiting = new Map<
		number,
		{ since: number; sincePoll: number; wasAsked: boolean }
	>();

	private polls = 0;

	private polledAt: number | undefined;

	private intervalMs = MINUTE_MS;

	/** How many sites the trigger may ask for; a poll leaves what it has not used, up to one site, to the next one. */
	private credit: number | undefined;

	/** Whether n8n's log says that a poll cannot ask for all sites. */
	isPaceLogged = false;

	/** @param clock gives milliseconds, whatever the time of day is set to. */
	constructor(private readonly clock: () => number = () => performance.now()) {}

	/** Begins a poll, and gives the sites in the order in which to ask for them. */
	begin(siteIds: readonly number[]): number[] {
		const now = this.clock();
		if (this.polledAt !== undefined) this.intervalMs = now - this.polledAt;
		this.polledAt = now;
		this.polls += 1;
		const watched = new Set(siteIds);
		for (const siteId of this.waiting.keys()) {
			if (!watched.has(siteId)) this.waiting.delete(siteId);
		}
		for (const siteId of siteIds) {
			if (!this.waiting.has(siteId)) this.wait(siteId, now, false);
		}
		return siteIds.toSorted((one, other) => this.askedAt(one) - this.askedAt(other));
	}

	/**
	 * How many sites a poll may ask for.
	 *
	 * @param sitesPerPoll the trigger's share of what all triggers of its account may ask for. It may be less than one.
	 */
	allowance(sitesPerPoll: number): number {
		this.credit =
			this.credit === undefined
				? Math.max(1, sitesPerPoll)
				: Math.min(1, this.credit) + sitesPerPoll;
		return Math.floor(this.credit);
	}

	/** Ends a poll that has asked for these sites. */
	end(siteIds: readonly number[]): void {
		const now = this.clock();
		for (const siteId of siteIds) this.wait(siteId, now, true);
		if (this.credit !== undefined) this.credit = Math.max(0, this.credit - siteIds.length);
	}

	/** How many sites the trigger watches; 0 where it has not polled for so long that it has been switched off. */
	get sites(): number {
		const isActive = this.clock() - (this.polledAt ?? -Infinity) < 2 * this.plannedIntervalMs;
		return isActive ? this.waiting.size : 0;
	}

	private get plannedIntervalMs(): number {
		return Math.max(MINUTE_MS, this.intervalMs);
	}

	/**
	 * The sites that have waited an hour longer than planned, and the longest of their waits, in milliseconds.
	 *
	 * @param sitesPerPoll as in {@link allowance}.
	 */
	late(sitesPerPoll: number): { siteIds: number[]; waitedMs: number } {
		const now = this.clock();
		const polls = Math.ceil(this.waiting.size / sitesPerPoll);
		const plannedMs = polls * this.plannedIntervalMs;
		// Time and polls: a trigger may pause for a night or a weekend.
		const late = [...this.waiting].filter(
			([, { since, sincePoll }]) =>
				now - since > plannedMs + LATE_MS && this.polls - sincePoll >= polls,
		);
		return {
			siteIds: late.map(([siteId]) => siteId),
			waitedMs: late.reduce((longest, [, { since }]) => Math.max(longest, now - since), 0),
		};
	}

	private wait(siteId: number, since: number, wasAsked: boolean): void {
		this.waiting.set(siteId, { since, sincePoll: this.polls, wasAsked });
	}

	/** When a site was last asked for; one that has never been comes before all others. */
	private askedAt(siteId: number): number {
		const waiting = this.waiting.get(siteId);
		return waiting?.wasAsked ? waiting.since : -1;
	}
}
