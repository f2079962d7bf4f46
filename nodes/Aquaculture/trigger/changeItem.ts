import { shortened } from '../../../api/checked';
import type { Site } from '../../../api/siteAnswer';
import type { IdentifiedChange } from './changeIds';
import { INFO_KINDS, UNIT_KINDS, type ChangeKind } from './changeKinds';

/** A site that was read. */
export interface SeenSite {
	siteId: number;
	site: Site;
	/** ISO 8601, UTC. */
	seenAt: string;
}

/** What a cell of a table can hold. */
type Cell = string | number | boolean | null;

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
	return { id, summary: inOneLine(summaryOf(kind, values)), ...values };
}

function toCell(value: unknown): Cell {
	if (typeof value === 'object' && value !== null) return JSON.stringify(value);
	return (value ?? null) as Cell;
}

/** What people call the fields of the info. */
const INFO_NAMES = new Map([
	['code', 'Code'],
	['latitude', 'Latitude'],
	['license', 'Licence'],
	['longitude', 'Longitude'],
	['maxTotalBiomass', 'Maximum total biomass'],
	['timezone', 'Time zone'],
	['type', 'Type'],
]);

/** A name for people if the service documents the field, otherwise the service's own. */
function nameOf(kind: ChangeKind, field: string | null): string | null {
	if (kind === 'unitAdded' || kind === 'unitRemoved') return 'Unit';
	if (field === null) return null;
	if (kind === 'siteRenamed' || kind === 'unitRenamed') return 'Name';
	if (kind === 'unitMoved') return 'Position';
	return (INFO_KINDS.includes(kind) ? INFO_NAMES.get(field) : undefined) ?? field;
}

function summaryOf(kind: ChangeKind, item: Omit<ChangeItem, 'id' | 'summary'>): string {
	const { siteName, siteId, unitName, unitId, fieldName, oldValue, newValue, change } = item;
	const site = siteName ? `${siteName} (${siteId})` : `site ${siteId}`;
	const unit = unitName || (unitId === null ? 'without name' : `${unitId}`);
	const isState = change === 'currentState';
	if (kind === 'unitAdded') return `Unit ${unit} ${isState ? 'of' : 'added to'} ${site}`;
	if (kind === 'unitRemoved') return `Unit ${unit} removed from ${site}`;

	const isOfUnit = UNIT_KINDS.includes(kind);
	const subject = isOfUnit ? `unit ${unit} of ${site}` : site;
	const values = `${isState ? '' : `${spell(oldValue)} → `}${spell(newValue)}`;
	return fieldName === null ? `Change of ${subject}` : `${fieldName} of ${subject}: ${values}`;
}

/** A value as part of a sentence. */
function spell(value: Cell): string {
	const MAX_CHARACTERS = 100;
	return value === null ? '(empty)' : shortened(String(value), MAX_CHARACTERS);
}

/** A name or a value may contain line breaks. */
function inOneLine(text: string): string {
	return text.replace(/\s*[\n\v\f\r\u0085\u2028\u2029]\s*/g, ' ');
}
