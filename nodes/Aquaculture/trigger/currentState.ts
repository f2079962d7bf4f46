import type { Site } from '../../../api/site';
import { newId } from './changeIds';
import { toItem, type ChangeItem, type SeenSite } from './changeItem';
import { compareSite, type SiteChange, type SiteMemory } from './siteChanges';
import { ANY_CHANGE, isWatching, type Watch } from './watch';

/** The watched state of a site: each value as new. */
export function currentState({ site }: SeenSite, watch: Watch): SiteChange[] {
	// Where units are watched for coming or going, their names say which there are.
	const isNaming = isWatching(watch, 'unitAdded', 'unitRemoved');
	const named: Watch = isNaming ? { ...watch, kinds: [...watch.kinds, 'unitRenamed'] } : watch;
	return compareSite(unnamedUnits(site, named), site, named).changes;
}

/**
 * An item as it may come when the site changes, with the current value as the old and as the new one. Its summary says
 * that it is a sample.
 */
export function sampleItem(seenSite: SeenSite, watch: Watch): ChangeItem {
	const { site } = seenSite;
	const asSent = compareSite({}, site, watch).memory;
	const values = compareSite(unnamedUnits(site, watch), site, watch).changes;
	const added = compareSite(nothing(watch), site, watch).changes;
	const removed = compareSite(asSent, { ...site, units: [] }, watch).changes;
	const [change] = [
		...values.map((value) => ({ ...value, oldValue: value.newValue })),
		...added,
		...removed,
	];
	const kind = watch.kinds.find((watched) => watched !== ANY_CHANGE) ?? 'siteRenamed';
	const nothingSent: SiteChange = { kind, field: null, oldValue: null, newValue: null };
	const item = toItem(seenSite, { ...(change ?? nothingSent), id: newId() });
	return { ...item, summary: `Sample: ${item.summary}` };
}

/** A memory with which every value of the site counts as new: everything was watched, and the site was empty. */
function nothing({ kinds, additionalIncludes }: Watch): Required<SiteMemory> {
	return {
		siteName: null,
		info: { fields: null, values: {} },
		others: { additionalIncludes, values: {} },
		units: { kinds, list: [] },
	};
}

/**
 * The memory of the same site with its units, but without any value. Units known by name only are left out, since they
 * would count as removed.
 */
function unnamedUnits({ units }: Site, watch: Watch): SiteMemory {
	const list = (units ?? [])
		.filter(({ unitId, unitName }) => typeof unitId === 'number' || !unitName)
		.map(({ unitId = null }) => ({ unitId }));
	return { ...nothing(watch), units: { kinds: watch.kinds, list } };
}
