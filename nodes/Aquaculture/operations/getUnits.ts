import type { IDataObject } from 'n8n-workflow';
import { includesOf } from '../../../service/includes';
import type { Site, SiteInfo, Unit } from '../../../service/siteAnswer';
import { dataVersion } from '../fields/dataVersion';
import { includeSiteInfo } from '../fields/includes';
import { findLimitedSites, limitedSitesFields } from '../fields/returnAll';
import { isAllSites } from '../fields/sites';
import type { Operation } from './operation';
import { NO_SITE, siteContract, type SiteContract } from './wholeSites';

/** Reads the units of the sites of a list: one item out for each unit, site by site in the order of the list. */
export const getUnits: Operation<SiteContract, Site> = {
	option: {
		name: 'Get Units',
		action: 'Get units of sites: pens, cages and tanks',
		description: 'Read the units (pens, cages or tanks) of sites, one item for each unit',
	},
	fields: [...limitedSitesFields, includeSiteInfo, dataVersion],
	items: 'units',
	contract: siteContract,

	outputFields({ siteSchema: { shape: site }, unitSchema: { shape: unit } }) {
		const { siteId, siteName } = site;
		const { unitId, unitName, latitude, longitude } = unit;
		return { siteId, siteName, unitId, unitName, latitude, longitude };
	},

	identify: () => NO_SITE,

	readsOnce: ({ read }) => read(isAllSites),

	async requests(reader, { siteDocument }) {
		const { read } = reader;
		const sites = await findLimitedSites(reader);
		const withInfo = read(includeSiteInfo);
		const includes = includesOf({ units: true, info: withInfo });
		const version = read(dataVersion);
		return sites.map(({ siteId, siteName }) => ({
			...siteDocument(siteId, includes, siteName),
			dataVersion: version,
			toOutput: ({ json }) => unitRows(json, siteId, withInfo),
		}));
	},
};

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
 * @param siteId used if the service has left out the site's ID.
 * @param withInfo adds the columns of the site's info.
 */
function unitRows(site: Site, siteId: number, withInfo: boolean): IDataObject[] {
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
