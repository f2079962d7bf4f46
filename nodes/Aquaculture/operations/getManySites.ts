import type { Site } from '../../../api/site';
import { findLimitedSites, limitedSitesFields } from '../fields/returnAll';
import { isAllSites } from '../fields/sites';
import type { Operation } from './operation';
import {
	NO_SITE,
	siteContract,
	wholeSiteFields,
	wholeSiteRequests,
	type SiteContract,
} from './wholeSites';

/** Reads the sites of a list: one item out for each entry, in the order of the list. */
export const getManySites: Operation<SiteContract, Site> = {
	option: {
		name: 'Get Many Sites',
		action: 'Get many sites',
		description: 'Read several sites of fish farms, one item for each',
	},
	fields: [...limitedSitesFields, ...wholeSiteFields],
	contract: siteContract,
	outputFields: ({ siteSchema }) => siteSchema.shape,
	identify: () => NO_SITE,
	readsOnce: ({ read }) => read(isAllSites),
	requests: async (reader, contract) =>
		wholeSiteRequests(reader, contract, await findLimitedSites(reader)),
};
