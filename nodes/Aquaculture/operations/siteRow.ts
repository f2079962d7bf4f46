import type { IDataObject } from 'n8n-workflow';
import type { Site, SiteInfo } from '../../../api/site';

/** Columns that stem from the info of the site, in an order that reads well. */
const INFO_COLUMNS = [
	'code',
	'type',
	'license',
	'maxTotalBiomass',
	'timezone',
	'latitude',
	'longitude',
] as const satisfies Array<keyof SiteInfo>;

/**
 * A site as one row of a table. All rows have the same columns: what the service has left out, or was not asked for,
 * is null.
 *
 * @param siteId used if the service has left out the site's ID.
 */
export function siteRow(site: Site, siteId: number): IDataObject {
	const { siteName, info, units } = site;
	return {
		siteId: site.siteId ?? siteId,
		siteName: siteName ?? null,
		...Object.fromEntries(INFO_COLUMNS.map((column) => [column, info?.[column] ?? null])),
		numberOfUnits: units?.length ?? null,
	};
}
