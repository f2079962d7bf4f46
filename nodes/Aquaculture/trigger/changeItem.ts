import type { Site } from '../../../service/siteAnswer';
import { INFO_NAMES, summaryOf, type Cell } from '../../../texts/changeSummary';
import type { IdentifiedChange } from './changeIds';
import { INFO_KINDS, UNIT_KINDS, type ChangeKind } from './changeKinds';

/** A site that was read. */
export interface SeenSite {
	siteId: number;
	site: Site;
	/** ISO 8601, UTC. */
	seenAt: string;
}

/**
 * The JSON of an output item. All have the same fields in the same order, so that they fit a table: the ID, then what
 * people read, then what programs need.
 */
export type ChangeItem = {
	/** The same if n8n returns the same change twice, another one for any other item. */
	id: string;
	/** The change as a sentence. */
	summary: string;
	siteName: string | null;
	unitName: string | null;
	/** A name for people; that of the service is in `field`. */
	fieldName: string | null;
	oldValue: Cell;
	newValue: Cell;
	seenAt: string;
	siteId: number;
	unitId: number | null;
	/** A kind of change, or `currentState` for a value of a site that was not watched before. */
	change: ChangeKind | 'currentState';
	field: string | null;
};

/** The fields of an output item, which the editor offers before the first run. */
export const OUTPUT_FIELDS: Record<keyof ChangeItem, 'string' | 'number'> = {
	id: 'string',
	summary: 'string',
	siteName: 'string',
	unitName: 'string',
	fieldName: 'string',
	oldValue: 'string',
	newValue: 'string',
	seenAt: 'string',
	siteId: 'number',
	unitId: 'number',
	change: 'string',
	field: 'string',
};

/** @param change what the item calls it, if it is not the kind of the change. */
export function toItem(
	{ siteId, site, seenAt }: SeenSite,
	{ id, kind, field, unit, oldValue, newValue }: IdentifiedChange,
	change: ChangeItem['change'] = kind,
): ChangeItem {
	const values = {
		siteName: site.siteName ?? null,
		unitName: unit?.unitName ?? null,
		fieldName: nameOf(kind, field),
		oldValue: toCell(oldValue),
		newValue: toCell(newValue),
		seenAt,
		siteId,
		unitId: unit?.unitId ?? null,
		change,
		field,
	};
	const summary = summaryOf({
		...values,
		event: eventOf(kind),
		isState: change === 'currentState',
		isOfUnit: UNIT_KINDS.includes(kind),
	});
	return { id, summary, ...values };
}

function toCell(value: unknown): Cell {
	if (typeof value === 'object' && value !== null) return JSON.stringify(value);
	return (value ?? null) as Cell;
}

/** A name for people if the service documents the field, otherwise the service's own. */
function nameOf(kind: ChangeKind, field: string | null): string | null {
	if (kind === 'unitAdded' || kind === 'unitRemoved') return 'Unit';
	if (field === null) return null;
	if (kind === 'siteRenamed' || kind === 'unitRenamed') return 'Name';
	if (kind === 'unitMoved') return 'Position';
	return (INFO_KINDS.includes(kind) ? INFO_NAMES.get(field) : undefined) ?? field;
}

/** What a kind of change is to the summary. */
function eventOf(kind: ChangeKind): 'unit added' | 'unit removed' | 'changed' {
	if (kind === 'unitAdded') return 'unit added';
	return kind === 'unitRemoved' ? 'unit removed' : 'changed';
}
