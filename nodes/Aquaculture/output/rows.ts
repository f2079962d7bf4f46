import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../service/body';
import { usableParts, type SentSite, type SiteInfo, type Unit } from '../service/site';

/* Sites and units as rows of a table. All rows of an execution have the same columns. */

/** What a column of `info` is called beside a unit, which has a position of its own. */
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

/** @param askedId stands in if the service leaves out the site's ID. */
export function siteRow(
	site: SentSite,
	askedId: number,
	wanted: { info: boolean; units: boolean },
): IDataObject {
	const { info, units } = usableParts(site);
	const infoCells = Object.keys(INFO_COLUMNS).map((field) => [field, toCell(info?.[field])]);
	return {
		siteId: toCell(site.siteId ?? askedId),
		siteName: toCell(site.siteName),
		...(wanted.info && Object.fromEntries(infoCells)),
		...(wanted.units && { numberOfUnits: units?.length ?? null }),
	};
}

/** Returns no row for an entry of `units` that is no object. @param askedId as for {@link siteRow}. */
export function unitRows(site: SentSite, askedId: number, withInfo: boolean): IDataObject[] {
	const { info, units } = usableParts(site);
	const infoCells = Object.entries(INFO_COLUMNS).map(([field, column]) => [
		column,
		toCell(info?.[field]),
	]);
	return (units ?? []).filter(isObject).map((unit) => ({
		siteId: toCell(site.siteId ?? askedId),
		siteName: toCell(site.siteName),
		...Object.fromEntries(UNIT_COLUMNS.map((field) => [field, toCell(unit[field])])),
		...(withInfo && Object.fromEntries(infoCells)),
	}));
}

/** What a cell of a table can hold. */
export type Cell = string | number | boolean | null;

/** Writes an object or a list as JSON: a spreadsheet cell holds neither. */
export function toCell(value: unknown): Cell {
	if (typeof value === 'object' && value !== null) return JSON.stringify(value);
	return (value ?? null) as Cell;
}
