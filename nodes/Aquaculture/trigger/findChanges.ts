import { toItem, type ChangeItem } from './changeItem';
import { compareSite, valuesOf } from './compareSite';
import type { SeenSite } from './readSites';
import type { Settings } from './settings';
import type { Setup } from './setUp';

/**
 * Compares the sites that were read with the remembered ones.
 *
 * @param trigger its name, which is part of the ID of a change.
 * @returns an item for each watched change, the sites to remember, and whether the memory holds more than before besides.
 */
export function findChanges(
	trigger: string,
	{ settings, sites, remembered, linesLeftOut }: Setup,
	seen: ReadonlyMap<number, SeenSite>,
) {
	const siteIds = new Set(sites.map(({ siteId }) => siteId));
	// The line that cannot be used may be that of a remembered site.
	const isKept = (siteId: number) => siteIds.has(siteId) || linesLeftOut.length > 0;
	const toRemember = new Map([...remembered].filter(([siteId]) => isKept(siteId)));
	const items: ChangeItem[] = [];
	let memoryChanged = false;
	for (const siteId of siteIds) {
		const before = remembered.get(siteId);
		const now = seen.get(siteId);
		if (!now) continue;
		if (!before) {
			toRemember.set(siteId, { site: now.site, since: now.seenAt });
			items.push(...currentState(trigger, settings, now));
			memoryChanged = true;
			continue;
		}
		const { changes, site, hasNewPart } = compareSite(before.site, now.site);
		const watched = changes.filter(({ kind }) => settings.watched.has(kind));
		items.push(...watched.map((change) => toItem(now, change, [trigger, before.since])));
		toRemember.set(siteId, { site, since: watched.length > 0 ? now.seenAt : before.since });
		memoryChanged ||= hasNewPart;
	}
	return { items, sites: toRemember, memoryChanged };
}

/** Returns the values of a site at its first reading, if they are wanted; for units that come and go, their names. */
function currentState(
	trigger: string,
	{ watched, emitsCurrentState }: Settings,
	seen: SeenSite,
): ChangeItem[] {
	if (!emitsCurrentState) return [];
	const wantsNames = watched.has('unitAdded') || watched.has('unitRemoved');
	return valuesOf(seen.site)
		.filter(({ kind }) => watched.has(kind) || (wantsNames && kind === 'unitRenamed'))
		.map((value) => toItem(seen, value, [trigger, seen.seenAt], true));
}
