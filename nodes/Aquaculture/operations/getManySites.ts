import type { Site } from '../../../api/site';
import { siteIds } from '../fields/siteIds';
import type { Operation } from './operation';
import { siteContract, wholeSiteFields, wholeSiteRequests, type SiteContract } from './wholeSites';

/** Reads the sites of a list: one item out for each entry, in the order of the list. */
export const getManySites: Operation<SiteContract, Site> = {
	option: {
		name: 'Get Many Sites',
		action: 'Get many sites by ID',
		description:
			'Read several sites of fish farms by their site IDs, one item for each: the name and, if you like, the info (position, licence, biomass limit) and the units (pens, tanks)',
	},
	fields: [siteIds, ...wholeSiteFields],
	contract: siteContract,
	outputFields: ({ siteSchema }) => siteSchema.shape,
	requests: (read, contract) => wholeSiteRequests(read, contract, read(siteIds)),
};
