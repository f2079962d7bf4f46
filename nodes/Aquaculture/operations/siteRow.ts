import type { IDataObject } from 'n8n-workflow';
import type { SITE_INCLUDES } from '../../../service/includes';
import type { Site, SiteInfo } from '../../../service/siteAnswer';

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
 * A site as one row of a table. All rows have the same columns: those of the parts that were asked for, with null for what the
 * service has left out.
 *
 * @param siteId used if the service has left out the site's ID.
 */
export function siteRow(
	site: Site,
	siteId: number,
	wanted: Record<(typeof SITE_INCLUDES)[number], boolean>,
): IDataObject {
	const { siteName, info, units } = site;
	return {
		siteId: site.siteId ?? siteId,
		siteName: siteName ?? null,
		...(wanted.info &&
			Object.fromEntries(INFO_COLUMNS.map((column) => [column, info?.[column] ?? null]))),
		...(wanted.units && { numberOfUnits: units?.length ?? null }),
	};
}
