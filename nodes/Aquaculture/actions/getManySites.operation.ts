import { siteIds, siteIdsField } from './fields/siteIds';
import type { Operation } from './operation';
import { planWholeSites, wholeSiteFields } from './wholeSites';

/** Reads the sites of a list: one item out for each entry, in the order of the list. */
export const getManySites: Operation = {
	option: {
		name: 'Get Many Sites',
		action: 'Get many sites',
		description:
			'Read a list of sites, one item for each: the names and, if you like, the info and the units',
	},
	fields: [siteIdsField, ...wholeSiteFields],

	prepare(parameters, itemIndex) {
		return planWholeSites(parameters, itemIndex, parameters.read(siteIds, itemIndex));
	},
};
