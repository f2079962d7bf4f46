import type { Change } from './compareFields';
import { compareSite, listValues } from './compareSite';
import type { RememberedSite, RememberedSites } from './memory';
import type { SeenSite } from './readSites';
import type { PollSetup } from './setUp';
import type { ChangeKind, TriggerSettings } from './triggerSettings';

/** What a poll has found at a site. */
export interface Finding {
	seen: SeenSite;
	/** Whether the site is read for the first time, so that its changes are its current values. */
	isNew: boolean;
	/** The changes to report. */
	changes: Change[];
	/** When the values were read with which the site was compared. */
	comparedWith: string;
	/** The parts that cannot be compared. */
	unusableParts: string[];
	toRemember: RememberedSite;
}

/** Compares the sites that were read with the remembered ones, in the order of the list. */
export function findChanges(
	{ settings, sites, remembered }: Pick<PollSetup, 'settings' | 'sites' | 'remembered'>,
	seen: ReadonlyMap<number, SeenSite>,
): Finding[] {
	return sites.flatMap(({ siteId }) => {
		const now = seen.get(siteId);
		if (!now) return [];
		const before = remembered.get(siteId);
		return [before ? compareWith(before, now, settings) : startWith(now, settings)];
	});
}

function startWith(seen: SeenSite, { watched, emitsCurrentState }: TriggerSettings): Finding {
	const { site, seenAt } = seen;
	return {
		seen,
		isNew: true,
		changes: emitsCurrentState ? listWatchedValues(seen, watched) : [],
		comparedWith: seenAt,
		unusableParts: [],
		toRemember: { site, readAt: seenAt },
	};
}

function compareWith(
	before: RememberedSite,
	seen: SeenSite,
	{ watched }: TriggerSettings,
): Finding {
	const { changes: found, site, unusableParts } = compareSite(before.site, seen.site);
	const changes = found.filter(({ kind }) => watched.has(kind));
	return {
		seen,
		isNew: false,
		changes,
		comparedWith: before.readAt,
		unusableParts,
		// n8n stores other changes only with the next execution: if they counted, a crash would change IDs.
		toRemember: { site, readAt: changes.length > 0 ? seen.seenAt : before.readAt },
	};
}

/** Returns the watched values of a site; for added and removed units, the names of its units. */
export function listWatchedValues({ site }: SeenSite, watched: ReadonlySet<ChangeKind>): Change[] {
	const wantsNames = watched.has('unitAdded') || watched.has('unitRemoved');
	return listValues(site).filter(
		({ kind }) => watched.has(kind) || (wantsNames && kind === 'unitRenamed'),
	);
}

/** Returns the sites to remember after a poll. It forgets those that are no longer watched. */
export function updateMemory(
	{ sites, unusable, remembered }: Pick<PollSetup, 'sites' | 'unusable' | 'remembered'>,
	findings: readonly Finding[],
): RememberedSites {
	const watchedIds = new Set(sites.map(({ siteId }) => siteId));
	// An unusable part of the list may be the name of a remembered site.
	const isKept = (siteId: number) => watchedIds.has(siteId) || unusable.length > 0;
	return new Map([
		...[...remembered].filter(([siteId]) => isKept(siteId)),
		...findings.map(({ seen, toRemember }) => [seen.named.siteId, toRemember] as const),
	]);
}
