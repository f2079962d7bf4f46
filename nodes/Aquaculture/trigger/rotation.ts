const MINUTE_MS = 60_000;
/** After so much more time than planned, a site that was not asked for is a failure. */
const LATE_MS = 60 * MINUTE_MS;
const MAX_TRIGGERS = 1000;

/**
 * In which order a trigger asks for its sites where a poll cannot ask for all of them: those that have waited longest
 * come first. Kept by the process: after a restart, the trigger begins with the first site again.
 */
export class Rotation {
	/** When each site was asked for, or was added, in milliseconds. */
	private readonly askedAt = new Map<number, number>();

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
		for (const siteId of this.askedAt.keys()) {
			if (!watched.has(siteId)) this.askedAt.delete(siteId);
		}
		const waitingSince = (siteId: number) => this.askedAt.get(siteId) ?? -Infinity;
		const order = siteIds.toSorted((one, other) => {
			const [first, second] = [waitingSince(one), waitingSince(other)];
			return first === second ? 0 : first - second;
		});
		for (const siteId of siteIds) {
			if (!this.askedAt.has(siteId)) this.askedAt.set(siteId, now);
		}
		return order;
	}

	/** Takes note of what was asked for. */
	note(siteIds: Iterable<number>): void {
		const now = this.clock();
		for (const siteId of siteIds) this.askedAt.set(siteId, now);
	}

	/**
	 * The sites that have waited for an hour longer than planned, and for how long the first of them has, in milliseconds.
	 *
	 * @param sitesPerMinute how many sites the trigger may ask for.
	 */
	late(sitesPerMinute: number): { siteIds: number[]; waitedMs: number } {
		const now = this.clock();
		const polls = Math.ceil(this.askedAt.size / sitesPerMinute);
		const plannedMs = polls * Math.max(MINUTE_MS, this.intervalMs);
		const late = [...this.askedAt].filter(([, at]) => now - at > plannedMs + LATE_MS);
		return {
			siteIds: late.map(([siteId]) => siteId),
			waitedMs: late.reduce((longest, [, at]) => Math.max(longest, now - at), 0),
		};
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
