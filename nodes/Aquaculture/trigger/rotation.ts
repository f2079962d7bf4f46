import { LastUsed } from '../../../shared/lastUsed';

const MINUTE_MS = 60_000;
/** After so much more time than planned, a site that was not asked for is a failure. */
const LATE_MS = 60 * MINUTE_MS;
const MAX_TRIGGERS = 1000;

/**
 * In which order a trigger asks for its sites where a poll cannot ask for all of them: those that have waited longest
 * come first. Kept by the process: after a restart, the trigger begins with the first site again.
 */
export class Rotation {
	/** Since when and since which poll each site waits, in milliseconds, and whether it has been asked for at all. */
	private readonly waiting = new Map<
		number,
		{ since: number; sincePoll: number; wasAsked: boolean }
	>();

	private polls = 0;

	private polledAt: number | undefined;

	private intervalMs = MINUTE_MS;

	/** How many sites the trigger may ask for; what a poll has not used of it, up to one site, is left for the next one. */
	private credit: number | undefined;

	/** Whether it was told that a poll cannot ask for all sites. */
	isPaceTold = false;

	/** @param clock is one that nobody sets. */
	constructor(private readonly clock: () => number = () => performance.now()) {}

	/** Begins a poll. */
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
		return siteIds.toSorted((one, other) => this.compare(one, other));
	}

	/**
	 * How many sites a poll may ask for.
	 *
	 * @param sitesPerMinute the trigger's part of what all triggers of its account may ask for. It may be less than one.
	 */
	turns(sitesPerMinute: number): number {
		this.credit =
			this.credit === undefined
				? Math.max(1, sitesPerMinute)
				: Math.min(1, this.credit) + sitesPerMinute;
		return Math.floor(this.credit);
	}

	/** Takes note of what was asked for. */
	note(siteIds: readonly number[]): void {
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
	 * The sites that have waited for an hour longer than planned, and for how long the first of them has, in milliseconds.
	 *
	 * @param sitesPerMinute how many sites the trigger may ask for.
	 */
	late(sitesPerMinute: number): { siteIds: number[]; waitedMs: number } {
		const now = this.clock();
		const polls = Math.ceil(this.waiting.size / sitesPerMinute);
		const plannedMs = polls * this.plannedIntervalMs;
		// Both: a trigger may rest for a night or a weekend.
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

	/** Sites that have never been asked for come first, then those that were asked for longest ago. */
	private compare(...siteIds: [number, number]): number {
		const [one = 0, other = 0] = siteIds.map((siteId) => {
			const { since, wasAsked } = this.waiting.get(siteId) ?? { since: 0, wasAsked: false };
			return wasAsked ? since : -1;
		});
		return one - other;
	}
}

const rotations = new LastUsed(MAX_TRIGGERS, () => new Rotation());

/** The rotations of the triggers of each account. */
const neighbours = new WeakMap<object, Set<Rotation>>();

/**
 * How many sites a trigger may ask for in a minute. What all triggers of its account may ask for is divided evenly; one
 * that watches fewer sites leaves the rest to the others. Otherwise one that uses up everything at the beginning of each
 * minute would leave nothing to one that polls a little later.
 *
 * @param account an object that stands for the account.
 * @param total how many sites all triggers of the account may ask for in a minute.
 */
export function partOf(rotation: Rotation, account: object, total: number): number {
	const all = neighbours.get(account) ?? new Set();
	neighbours.set(account, all.add(rotation));
	for (const other of all) {
		if (other.sites === 0) all.delete(other);
	}
	return fairPart(
		rotation.sites,
		[...all].map(({ sites }) => sites),
		total,
	);
}

function fairPart(own: number, all: readonly number[], total: number): number {
	let left = total;
	let others = all.length;
	for (const sites of all.toSorted((one, other) => one - other)) {
		const part = left / others;
		if (sites >= part) return Math.min(own, part);
		left -= sites;
		others -= 1;
	}
	return own;
}

/** The rotation of a trigger, by the name that tells it from others. */
export function rotationOf(trigger: string): Rotation {
	return rotations.get(trigger);
}
