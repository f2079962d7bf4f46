import type { IDataObject } from 'n8n-workflow';
import type { Site, SiteInfo, Unit } from '../service/site';

/* The columns of the rows in which sites and units are returned. All rows have the same: what the service leaves out is null. */

/** Those that stem from the info of the site, and what they are called beside a unit, which has a position of its own. */
const INFO_COLUMNS = [
	['code', 'siteCode'],
	['type', 'siteType'],
	['license', 'siteLicense'],
	['maxTotalBiomass', 'siteMaxTotalBiomass'],
	['timezone', 'siteTimezone'],
	['longitude', 'siteLongitude'],
	['latitude', 'siteLatitude'],
] as const satisfies Array<[keyof SiteInfo, string]>;

const UNIT_COLUMNS = ['unitId', 'unitName', 'longitude', 'latitude'] as const satisfies Array<
	keyof Unit
>;

/** A site as a row. @param askedId used if the service has left out the site's ID. */
export function siteRow(
	{ siteId, siteName, info, units }: Site,
	askedId: number,
	wanted: { info: boolean; units: boolean },
): IDataObject {
	return {
		siteId: siteId ?? askedId,
		siteName: siteName ?? null,
		...(wanted.info &&
			Object.fromEntries(INFO_COLUMNS.map(([field]) => [field, info?.[field] ?? null]))),
		...(wanted.units && { numberOfUnits: units?.length ?? null }),
	};
}

/** The units of a site as rows; none for a site without units. @param askedId as for {@link siteRow}. */
export function unitRows(
	{ siteId, siteName, info, units }: Site,
	askedId: number,
	withInfo: boolean,
): IDataObject[] {
	const infoColumns = INFO_COLUMNS.map(([field, column]) => [column, info?.[field] ?? null]);
	return (units ?? []).map((unit) => ({
		siteId: siteId ?? askedId,
		siteName: siteName ?? null,
		...Object.fromEntries(UNIT_COLUMNS.map((field) => [field, unit[field] ?? null])),
		...(withInfo && Object.fromEntries(infoColumns)),
	}));
}
