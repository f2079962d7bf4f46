import type { IDataObject } from 'n8n-workflow';
import { getSections, type RawSite, type SiteInfo, type Unit } from '../service/site';

/* Sites and units as rows of a table. All rows of an execution have the same columns. */

/** The fields of `info`, and what their columns are called in the row of a unit, which has a position of its own. */
const INFO_COLUMNS = {
	code: 'siteCode',
	type: 'siteType',
	license: 'siteLicense',
	maxTotalBiomass: 'siteMaxTotalBiomass',
	timezone: 'siteTimezone',
	longitude: 'siteLongitude',
	latitude: 'siteLatitude',
} as const satisfies Partial<Record<keyof SiteInfo, string>>;

const UNIT_COLUMNS = ['unitId', 'unitName', 'longitude', 'latitude'] as const satisfies Array<
	keyof Unit
>;

/** @param requestedId the ID to use if the service leaves it out. */
export function siteRow(
	site: RawSite,
	requestedId: number,
	wanted: { info: boolean; units: boolean },
): IDataObject {
	const { info, units } = getSections(site);
	const infoCells = Object.keys(INFO_COLUMNS).map((field) => [field, toCell(info?.[field])]);
	return {
		siteId: toCell(site.siteId ?? requestedId),
		siteName: toCell(site.siteName),
		...(wanted.info && Object.fromEntries(infoCells)),
		...(wanted.units && { numberOfUnits: units?.length ?? null }),
	};
}

/** @param requestedId as for {@link siteRow}. */
export function unitRows(site: RawSite, requestedId: number, withInfo: boolean): IDataObject[] {
	const { info, units } = getSections(site);
	const infoCells = Object.entries(INFO_COLUMNS).map(([field, column]) => [
		column,
		toCell(info?.[field]),
	]);
	return (units ?? []).map((unit) => ({
		siteId: toCell(site.siteId ?? requestedId),
		siteName: toCell(site.siteName),
		...Object.fromEntries(UNIT_COLUMNS.map((field) => [field, toCell(unit[field])])),
		...(withInfo && Object.fromEntries(infoCells)),
	}));
}

/** A value that a cell of a spreadsheet can hold. */
export type Cell = string | number | boolean | null;

/** Converts objects and lists to JSON texts, because a cell of a spreadsheet holds neither. */
export function toCell(value: unknown): Cell {
	if (typeof value === 'object' && value !== null) return JSON.stringify(value);
	return (value ?? null) as Cell;
}
