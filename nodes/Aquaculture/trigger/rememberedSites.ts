import type { RememberedSites } from '../polling/memory';
import { SECTIONS } from '../service/site';
import { isMissing } from './compareSite';
import type { SiteChanges } from './findChanges';
import type { PollSetup } from './pollSetup';

/** Returns the sites to remember after a poll. It forgets those that are no longer watched. */
export function listRemembered(
	setup: Pick<PollSetup, 'sites' | 'unusableEntries' | 'remembered'>,
	found: readonly SiteChanges[],
): RememberedSites {
	const { sites, unusableEntries, remembered } = setup;
	const watchedIds = new Set(sites.map(({ siteId }) => siteId));
	// An unusable entry of the list may be the name of a remembered site.
	const isKept = (siteId: number) => watchedIds.has(siteId) || unusableEntries.length > 0;
	return new Map([
		...[...remembered].filter(([siteId]) => isKept(siteId)),
		...found.map(({ fetched, toRemember }) => [fetched.siteId, toRemember] as const),
	]);
}

/**
 * Returns whether n8n has not stored a site, a section of it, or that a kind of changes is watched: after a restart there would
 * be nothing to compare with.
 */
export function hasNewBaseline(sites: RememberedSites, stored: RememberedSites): boolean {
	return [...sites].some(([siteId, { site, watched }]) => {
		const before = stored.get(siteId);
		if (!before) return true;
		const isNewSection = (name: (typeof SECTIONS)[number]) =>
			isMissing(before.site[name]) && !isMissing(site[name]);
		return SECTIONS.some(isNewSection) || watched.some((kind) => !before.watched.includes(kind));
	});
}
