import type { SiteRef } from '../service/site';

/** When a site had a result last, or when the trigger began to watch it. */
interface Turn {
	at: number;
	poll: number;
}

export interface SinceResult {
	/** For how long the site has had no result. */
	milliseconds: number;
	/** In how many polls it has had none. */
	polls: number;
}

/** Decides which sites a poll requests first: one that has no time for all sites leaves the others to the next poll. */
export class FetchOrder {
	private polls = 0;
	/** By ID, in the order of the next poll. */
	private turns = new Map<number, Turn>();

	/** Sorts the sites: first new ones, of these first those without a memory, then the others in the order of {@link recordPoll}. */
	sort(sites: readonly SiteRef[], remembered: Pick<Set<number>, 'has'>): SiteRef[] {
		const ranks = new Map([...this.turns.keys()].map((siteId, index) => [siteId, index]));
		const rank = ({ siteId }: SiteRef) => ranks.get(siteId) ?? (remembered.has(siteId) ? -1 : -2);
		return sites.toSorted((one, other) => rank(one) - rank(other));
	}

	/**
	 * Counts a poll, and forgets the sites of earlier polls.
	 *
	 * @param finished the sites that have a result, if only the failure that stopped the poll, in the order of the next poll.
	 * @param unfinished all others, which come before these.
	 */
	recordPoll(finished: readonly SiteRef[], unfinished: readonly SiteRef[], beganAt: number): void {
		const added = { at: beganAt, poll: this.polls };
		this.polls += 1;
		const now = { at: beganAt, poll: this.polls };
		this.turns = new Map([
			...unfinished.map(({ siteId }) => [siteId, this.turns.get(siteId) ?? added] as const),
			...finished.map(({ siteId }) => [siteId, now] as const),
		]);
	}

	/** Returns for how long a site, one of the last poll, has had no result. */
	sinceResult({ siteId }: SiteRef, now: number): SinceResult {
		const { at, poll } = this.turns.get(siteId) as Turn;
		return { milliseconds: now - at, polls: this.polls - poll };
	}
}
