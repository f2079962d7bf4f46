import { siteSchema, type Site } from '../../../api/site';
import { siteIds, siteIdsField } from '../parameters/siteIds';
import type { Operation } from './operation';
import { wholeSiteFields, wholeSiteRequests } from './wholeSites';

/** Reads the sites of a list: one item out for each entry, in the order of the list. */
export const getManySites: Operation<Site> = {
	option: {
		name: 'Get Many Sites',
		action: 'Get many sites by ID',
		description:
			'Read several sites of fish farms by their site IDs, one item for each: the name and, if you like, the info (position, licence, biomass limit) and the units (pens, tanks)',
	},
	fields: [siteIdsField, ...wholeSiteFields],
	outputSchema: siteSchema,

	prepare(parameters, itemIndex) {
		return wholeSiteRequests(parameters, itemIndex, parameters.read(siteIds, itemIndex));
	},
};
