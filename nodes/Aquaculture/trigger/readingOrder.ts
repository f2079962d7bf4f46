import type { NamedSite } from '../service/site';
import { systemClock } from '../utils/clock';

/** Decides which sites a poll reads first: one that has no time for all sites leaves the others to the next poll. */
export class ReadingOrder {
	private readonly createdAt = systemClock.now();
	/** When each site was requested last, the longest ago first. */
	private readonly requestedAt = new Map<number, number>();

	/** Sorts the sites: first those without a memory, then those that were requested longest ago. */
	sort(sites: readonly NamedSite[], remembered: Pick<Set<number>, 'has'>): NamedSite[] {
		const ranks = new Map([...this.requestedAt.keys()].map((siteId, index) => [siteId, index]));
		const rank = ({ siteId }: NamedSite) => ranks.get(siteId) ?? (remembered.has(siteId) ? -1 : -2);
		return sites.toSorted((one, other) => rank(one) - rank(other));
	}

	/** @param sites in the order in which they were requested. */
	reportRequested(sites: readonly NamedSite[], now: number): void {
		for (const { siteId } of sites) {
			// A Map keeps the order of insertion.
			this.requestedAt.delete(siteId);
			this.requestedAt.set(siteId, now);
		}
	}

	/** Returns how long ago a site was requested last, or the trigger activated, in milliseconds. */
	sinceRequestedMs({ siteId }: NamedSite, now: number): number {
		return now - (this.requestedAt.get(siteId) ?? this.createdAt);
	}
}
