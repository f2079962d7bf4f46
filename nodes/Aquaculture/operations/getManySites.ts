import type { Site } from '../../../service/siteAnswer';
import { findLimitedSites, limitedSitesFields } from '../fields/returnAll';
import { isAllSites } from '../fields/sites';
import type { Operation } from './operation';
import { NO_SITE, siteContract, wholeSites, type SiteContract } from './wholeSites';

/** People who read many sites need a table. */
const { fields, outputFields, requests } = wholeSites(true);

/** Reads the sites of a list: one item out for each entry, in the order of the list. */
export const getManySites: Operation<SiteContract, Site> = {
	option: {
		name: 'Get Many Sites',
		action: 'Get many sites with position and licence',
		description: 'Read several sites of fish farms, one item for each',
	},
	fields: [...limitedSitesFields, ...fields],
	contract: siteContract,
	outputFields,
	identify: () => NO_SITE,
	readsOnce: ({ read }) => read(isAllSites),
	requests: async (reader, contract) => requests(reader, contract, await findLimitedSites(reader)),
};
