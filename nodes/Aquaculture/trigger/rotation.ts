const MINUTE_MS = 60_000;
/** After so much more time than planned, a site that was not asked for is a failure. */
const LATE_MS = 60 * MINUTE_MS;
const MAX_TRIGGERS = 1000;

/**
 * In which order a trigger asks for its sites where a poll cannot ask for all of them: those that have waited longest
 * come first. Kept by the process: after a restart, the trigger begins with the first site again.
 */
export class Rotation {
	/** Since when each site waits, in milliseconds, and whether it has been asked for at all. */
	private readonly waiting = new Map<number, { since: number; wasAsked: boolean }>();

	private polledAt: number | undefined;

	private intervalMs = MINUTE_MS;

	/** Whether it was told that a poll cannot ask for all sites. */
	isPaceTold = false;

	/** @param clock is one that nobody sets. */
	constructor(private readonly clock: () => number = () => performance.now()) {}

	/** Begins a poll. */
	begin(siteIds: readonly number[]): number[] {
		const now = this.clock();
		if (this.polledAt !== undefined) this.intervalMs = now - this.polledAt;
		this.polledAt = now;
		const watched = new Set(siteIds);
		for (const siteId of this.waiting.keys()) {
			if (!watched.has(siteId)) this.waiting.delete(siteId);
		}
		for (const siteId of siteIds) {
			if (!this.waiting.has(siteId)) this.waiting.set(siteId, { since: now, wasAsked: false });
		}
		return siteIds.toSorted((one, other) => this.compare(one, other));
	}

	/** Takes note of what was asked for. */
	note(siteIds: Iterable<number>): void {
		const now = this.clock();
		for (const siteId of siteIds) this.waiting.set(siteId, { since: now, wasAsked: true });
	}

	/**
	 * The sites that have waited for an hour longer than planned, and for how long the first of them has, in milliseconds.
	 *
	 * @param sitesPerMinute how many sites the trigger may ask for.
	 */
	late(sitesPerMinute: number): { siteIds: number[]; waitedMs: number } {
		const now = this.clock();
		const polls = Math.ceil(this.waiting.size / sitesPerMinute);
		const plannedMs = polls * Math.max(MINUTE_MS, this.intervalMs);
		const late = [...this.waiting].filter(([, { since }]) => now - since > plannedMs + LATE_MS);
		return {
			siteIds: late.map(([siteId]) => siteId),
			waitedMs: late.reduce((longest, [, { since }]) => Math.max(longest, now - since), 0),
		};
	}

	/** Sites that have never been asked for come first, then those that were asked for longest ago. */
	private compare(...siteIds: [number, number]): number {
		const [one = 0, other = 0] = siteIds.map((siteId) => {
			const { since, wasAsked } = this.waiting.get(siteId) ?? { since: 0, wasAsked: false };
			return wasAsked ? since : -1;
		});
		return one - other;
	}
}

const rotations = new Map<string, Rotation>();

/** The rotation of a trigger, by the name that tells it from others. */
export function rotationOf(trigger: string): Rotation {
	const rotation = rotations.get(trigger) ?? new Rotation();
	// The one that was used last comes last.
	rotations.delete(trigger);
	rotations.set(trigger, rotation);
	const [oldest] = rotations.keys();
	if (rotations.size > MAX_TRIGGERS && oldest !== undefined) rotations.delete(oldest);
	return rotation;
}
