import { compareSite, type Change } from './compareSite';
import type { FetchedSite } from './fetchSites';
import type { RememberedSite, RememberedSites } from './n8nMemory';
import type { PollSetup } from './pollSetup';
import type { TriggerSettings } from './triggerSettings';

/** The changes of a site that are reported, and what its next changes are found with. */
export interface SiteChanges {
	fetched: FetchedSite;
	changes: Change[];
	/** When the values were fetched with which the site was compared: part of the IDs of the changes. */
	comparedWith: string;
	toRemember: RememberedSite;
}

/** Compares the fetched sites with the remembered ones, in the order of the list. */
export function findChanges(
	{ settings, sites, remembered }: Pick<PollSetup, 'settings' | 'sites' | 'remembered'>,
	fetchedSites: ReadonlyMap<number, FetchedSite>,
): SiteChanges[] {
	return sites.flatMap(({ siteId }) => {
		const fetched = fetchedSites.get(siteId);
		if (!fetched) return [];
		return [findSiteChanges(remembered.get(siteId), fetched, settings)];
	});
}

function findSiteChanges(
	before: RememberedSite | undefined,
	fetched: FetchedSite,
	{ watched }: TriggerSettings,
): SiteChanges {
	const { changes: found, site } = compareSite(before?.site ?? {}, fetched.site);
	// A kind that was added to 'Trigger On' starts with this poll: nobody can tell when its earlier changes happened.
	const isReported = ({ kind }: Change) => watched.has(kind) && before?.watched.includes(kind);
	// The first time a site is fetched, there is nothing to compare it with.
	const changes = found.filter(isReported);
	const comparedWith = before?.readAt ?? fetched.seenAt;
	// n8n stores other changes only with the next execution: if they counted, a crash would change IDs.
	const readAt = changes.length > 0 ? fetched.seenAt : comparedWith;
	const toRemember = { site, readAt, watched: [...watched] };
	return { fetched, changes, comparedWith, toRemember };
}

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
