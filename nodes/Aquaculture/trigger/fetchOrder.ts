import type { SiteRef } from '../service/site';

/** When a site was requested last, or when the trigger began to watch it. */
interface Turn {
	at: number;
	poll: number;
}

export interface SinceRequested {
	/** For how long the site was not requested. */
	milliseconds: number;
	/** In how many polls it was not requested. */
	polls: number;
}

/** Decides which sites a poll requests first: one that has no time for all sites leaves the others to the next poll. */
export class FetchOrder {
	private polls = 0;
	/** By ID, in the order of the last poll: those that it did not request come first. */
	private turns = new Map<number, Turn>();

	/** Sorts the sites: first new ones, of these first those without a memory, then those that were requested longest ago. */
	sort(sites: readonly SiteRef[], remembered: Pick<Set<number>, 'has'>): SiteRef[] {
		const ranks = new Map([...this.turns.keys()].map((siteId, index) => [siteId, index]));
		const rank = ({ siteId }: SiteRef) => ranks.get(siteId) ?? (remembered.has(siteId) ? -1 : -2);
		return sites.toSorted((one, other) => rank(one) - rank(other));
	}

	/** Counts a poll, of sorted sites: those that it requested, and those that it did not. Forgets sites of earlier polls. */
	recordPoll(
		requested: readonly SiteRef[],
		notRequested: readonly SiteRef[],
		beganAt: number,
	): void {
		const added = { at: beganAt, poll: this.polls };
		this.polls += 1;
		const now = { at: beganAt, poll: this.polls };
		this.turns = new Map([
			...notRequested.map(({ siteId }) => [siteId, this.turns.get(siteId) ?? added] as const),
			...requested.map(({ siteId }) => [siteId, now] as const),
		]);
	}

	/** Returns for how long a site, one of the last poll, was not requested. */
	sinceRequested({ siteId }: SiteRef, now: number): SinceRequested {
		const { at, poll } = this.turns.get(siteId) as Turn;
		return { milliseconds: now - at, polls: this.polls - poll };
	}
}
