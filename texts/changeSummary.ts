import { shortened } from './checked';

/** What a cell of a table can hold. */
export type Cell = string | number | boolean | null;

/** What a summary says. */
interface Change {
	event: 'unit added' | 'unit removed' | 'changed';
	/** Whether it is the value of a site that was not watched before, and not a change. */
	isState: boolean;
	/** Whether it concerns a unit. */
	isOfUnit: boolean;
	siteId: number;
	siteName: string | null;
	unitId: number | null;
	unitName: string | null;
	/** Null for a change of which no field is known. */
	fieldName: string | null;
	oldValue: Cell;
	newValue: Cell;
}

/** What people call the fields of a site's info. */
export const INFO_NAMES: ReadonlyMap<string, string> = new Map([
	['code', 'Code'],
	['latitude', 'Latitude'],
	['license', 'Licence'],
	['longitude', 'Longitude'],
	['maxTotalBiomass', 'Maximum total biomass'],
	['timezone', 'Time zone'],
	['type', 'Type'],
]);

/** A change, or a value, as a sentence in one line. */
export function summaryOf(change: Change): string {
	// A name or a value may contain line breaks.
	return sentenceOf(change).replace(/\s*[\n\v\f\r\u0085\u2028\u2029]\s*/g, ' ');
}

function sentenceOf(change: Change): string {
	const { event, isState, isOfUnit, siteId, siteName, unitId, unitName } = change;
	const { fieldName, oldValue, newValue } = change;
	const site = siteName ? `${siteName} (${siteId})` : `site ${siteId}`;
	const unit = unitName || (unitId ?? 'without name');
	if (event === 'unit added') return `Unit ${unit} ${isState ? 'of' : 'added to'} ${site}`;
	if (event === 'unit removed') return `Unit ${unit} removed from ${site}`;
	const subject = isOfUnit ? `unit ${unit} of ${site}` : site;
	if (fieldName === null) return `Change of ${subject}`;
	const values = isState ? spell(newValue) : `${spell(oldValue)} → ${spell(newValue)}`;
	return `${fieldName} of ${subject}: ${values}`;
}

function spell(value: Cell): string {
	const MAX_CHARACTERS = 100;
	return value === null ? '(empty)' : shortened(String(value), MAX_CHARACTERS);
}

/** The summary of a test event in which nothing has changed. */
export function sampleSummary(summary: string): string {
	return `Sample: ${summary}`;
}
