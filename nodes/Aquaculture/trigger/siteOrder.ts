import type { RememberedSites } from './memory';

/**
 * The order in which a trigger reads its sites: the one that it asked for longest ago comes first, and before it those that
 * it has never asked for. It is kept in memory; after a restart, what is remembered says when each site was read.
 */
export class SiteOrder {
	private order: readonly number[] = [];

	/** The watched sites, each once, in the order in which to ask for them. */
	of(siteIds: readonly number[], remembered: Pick<RememberedSites, 'readAt'>): readonly number[] {
		const readAt = (siteId: number) => remembered.readAt(siteId) ?? 0;
		const watched = new Set(siteIds);
		const known = new Set(this.order);
		const others = siteIds.filter((siteId) => !known.has(siteId));
		this.order = [
			...others.toSorted((one, other) => readAt(one) - readAt(other)),
			...this.order.filter((siteId) => watched.has(siteId)),
		];
		return this.order;
	}

	/** A poll has asked for these sites. */
	note(siteIds: readonly number[]): void {
		const asked = new Set(siteIds);
		this.order = [
			...this.order.filter((siteId) => !asked.has(siteId)),
			...this.order.filter((siteId) => asked.has(siteId)),
		];
	}
}
