import { siteSchema, type Site } from '../../../api/site';
import { siteId } from '../fields/siteId';
import type { Operation } from './operation';
import { wholeSiteRequests } from './wholeSites';

/** Reads the site of each item: one item in, one item out. */
export const getSite: Operation<Site> = {
	outputSchema: siteSchema,

	prepare(parameters, itemIndex) {
		return wholeSiteRequests(parameters, itemIndex, [parameters.read(siteId, itemIndex)]);
	},
};
