import type { SiteRef } from '../service/site';
import { systemClock } from '../utils/clock';

/** Decides which sites a poll reads first: one that has no time for all sites leaves the others to the next poll. */
export class ReadingOrder {
	private readonly createdAt = systemClock.now();
	private polls = 0;
	/** When each site was requested last, and in which poll, the longest ago first. */
	private readonly requested = new Map<number, { at: number; poll: number }>();

	/** Sorts the sites: first those without a memory, then those that were requested longest ago. */
	sort(sites: readonly SiteRef[], remembered: Pick<Set<number>, 'has'>): SiteRef[] {
		const ranks = new Map([...this.requested.keys()].map((siteId, index) => [siteId, index]));
		const rank = ({ siteId }: SiteRef) => ranks.get(siteId) ?? (remembered.has(siteId) ? -1 : -2);
		return sites.toSorted((one, other) => rank(one) - rank(other));
	}

	/** Counts a poll. @param sites in the order in which it requested them. */
	reportRequested(sites: readonly SiteRef[], at: number): void {
		this.polls += 1;
		for (const { siteId } of sites) {
			// A Map keeps the order of insertion.
			this.requested.delete(siteId);
			this.requested.set(siteId, { at, poll: this.polls });
		}
	}

	/** Returns for how long a site was not requested, in milliseconds, and in how many polls. */
	sinceRequested({ siteId }: SiteRef, now: number): { milliseconds: number; polls: number } {
		const { at, poll } = this.requested.get(siteId) ?? { at: this.createdAt, poll: 0 };
		return { milliseconds: now - at, polls: this.polls - poll };
	}
}
