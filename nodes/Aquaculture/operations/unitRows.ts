import type { IDataObject } from 'n8n-workflow';
import type { Site, SiteInfo, Unit } from '../../../api/site';

/** Columns of a row that stem from the unit. */
const UNIT_COLUMNS = ['unitId', 'unitName', 'latitude', 'longitude'] as const satisfies Array<
	keyof Unit
>;

/** Columns that stem from the info of the site, in the order of {@link siteRow}; a unit has a position of its own. */
const INFO_COLUMNS = {
	siteCode: 'code',
	siteType: 'type',
	siteLicense: 'license',
	siteMaxTotalBiomass: 'maxTotalBiomass',
	siteTimezone: 'timezone',
	siteLatitude: 'latitude',
	siteLongitude: 'longitude',
} as const satisfies Record<string, keyof SiteInfo>;

/**
 * The units of a site as rows of a table, all with the same columns: what the service has left out is null. A site
 * without units has no rows.
 *
 * @param siteId stands in where the site comes without its ID.
 * @param withInfo adds the columns of the site's info.
 */
export function unitRows(site: Site, siteId: number, withInfo: boolean): IDataObject[] {
	const siteColumns = { siteId: site.siteId ?? siteId, siteName: site.siteName ?? null };
	const infoColumns = withInfo
		? Object.entries(INFO_COLUMNS).map(([column, field]) => [column, site.info?.[field] ?? null])
		: [];
	return (site.units ?? []).map((unit) => ({
		...siteColumns,
		...Object.fromEntries(UNIT_COLUMNS.map((column) => [column, unit[column] ?? null])),
		...Object.fromEntries(infoColumns),
	}));
}
