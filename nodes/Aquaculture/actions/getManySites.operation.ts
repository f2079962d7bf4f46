import { siteIds, siteIdsField } from '../parameters/siteIds';
import type { Operation } from './operation';
import { planWholeSites, wholeSiteFields } from './wholeSites';

/** Reads the sites of a list: one item out for each entry, in the order of the list. */
export const getManySites: Operation = {
	option: {
		name: 'Get Many Sites',
		action: 'Get many sites by ID',
		description:
			'Read several sites of fish farms by their site IDs, one item for each: the name and, if you like, the info (position, licence, biomass limit) and the units (pens, tanks)',
	},
	fields: [siteIdsField, ...wholeSiteFields],

	prepare(parameters, itemIndex) {
		return planWholeSites(parameters, itemIndex, parameters.read(siteIds, itemIndex));
	},
};
