import type { IDataObject } from 'n8n-workflow';
import type { Site } from '../../../api/site';
import { compareSite, type SiteChange, type SiteMemory } from './siteChanges';
import { ANY_CHANGE, isWatching, type Watch } from './watch';

/** A site that was read. */
export interface Sighting {
	siteId: number;
	site: Site;
	/** ISO 8601, UTC. */
	seenAt: string;
}

/** What a cell of a table can hold. */
type Cell = string | number | boolean | null;

/** The JSON of an output item. All have the same fields in the same order, so that they fit a table. */
export interface ChangeItem extends IDataObject {
	siteId: number;
	siteName: string | null;
	/** A kind of change, or `currentState` for what is told of a site that was not watched before. */
	change: SiteChange['kind'] | 'currentState';
	field: string | null;
	unitId: number | null;
	unitName: string | null;
	oldValue: Cell;
	newValue: Cell;
	seenAt: string;
}

export function toItem(
	{ siteId, site, seenAt }: Sighting,
	{ kind, field, unit, oldValue, newValue }: SiteChange,
): ChangeItem {
	return {
		siteId,
		siteName: site.siteName ?? null,
		change: kind,
		field,
		unitId: unit?.unitId ?? null,
		unitName: unit?.unitName ?? null,
		oldValue: toCell(oldValue),
		newValue: toCell(newValue),
		seenAt,
	};
}

/** The watched state of a site: an item for each value, as new. */
export function currentState(sighting: Sighting, watch: Watch): ChangeItem[] {
	const isNaming = isWatching(watch, 'unitAdded', 'unitRemoved');
	const wanted: Watch = isNaming ? { ...watch, kinds: [...watch.kinds, 'unitRenamed'] } : watch;
	return compareSite(unnamedUnits(sighting.site, wanted), sighting.site, wanted).changes.map(
		(change) => ({ ...toItem(sighting, change), change: 'currentState' }),
	);
}

/** An item as it may come when the site changes, with the present value as the old and as the new one. */
export function sampleItem(sighting: Sighting, watch: Watch): ChangeItem {
	const { site } = sighting;
	const seen = compareSite({}, site, watch).memory;
	const [change] = [
		...compareSite(unnamedUnits(site, watch), site, watch).changes.map((found) => ({
			...found,
			oldValue: found.newValue,
		})),
		...compareSite(nothing(watch), site, watch).changes,
		...compareSite(seen, { ...site, units: [] }, watch).changes,
	];
	const kind = watch.kinds.find((watched) => watched !== ANY_CHANGE) ?? 'siteRenamed';
	return toItem(sighting, change ?? { kind, field: null, oldValue: null, newValue: null });
}

/** The memory of a site of which everything was watched and nothing was there. */
function nothing({ kinds, additionalIncludes }: Watch): Required<SiteMemory> {
	return {
		siteName: null,
		info: { fields: null, values: {} },
		others: { additionalIncludes, values: {} },
		units: { kinds, list: [] },
	};
}

/**
 * The same, except that the units were there, without names and positions. A unit that is known by its name alone was not,
 * or it would be found to have been removed.
 */
function unnamedUnits({ units }: Site, watch: Watch): SiteMemory {
	const list = (units ?? [])
		.filter(({ unitId, unitName }) => typeof unitId === 'number' || !unitName)
		.map(({ unitId = null }) => ({ unitId }));
	return { ...nothing(watch), units: { kinds: watch.kinds, list } };
}

function toCell(value: unknown): Cell {
	if (typeof value === 'object' && value !== null) return JSON.stringify(value);
	return (value ?? null) as Cell;
}
