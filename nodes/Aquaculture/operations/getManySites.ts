import { siteSchema, type Site } from '../../../api/site';
import { siteIds } from '../fields/siteIds';
import type { Operation } from './operation';
import { wholeSiteRequests } from './wholeSites';

/** Reads the sites of a list: one item out for each entry, in the order of the list. */
export const getManySites: Operation<Site> = {
	outputSchema: siteSchema,

	prepare(parameters, itemIndex) {
		return wholeSiteRequests(parameters, itemIndex, parameters.read(siteIds, itemIndex));
	},
};
