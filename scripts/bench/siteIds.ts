/** The service of the benchmark has this many sites. */
export const MOST_SITES = 50_000;

/**
 * The IDs of as many sites as there are items.
 *
 * @param distinct after this many sites the IDs begin anew.
 */
export function siteIds(items: number, distinct = items): number[] {
	return Array.from({ length: items }, (_, index) => 100_001 + (index % distinct));
}
