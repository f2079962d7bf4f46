import { siteSchema, type Site } from '../../../api/site';
import { siteId, siteIdField } from '../parameters/siteId';
import type { Operation } from './operation';
import { wholeSiteFields, wholeSiteRequests } from './wholeSites';

/** Reads the site of each item: one item in, one item out. */
export const getSite: Operation<Site> = {
	option: {
		name: 'Get Site',
		action: 'Get site by ID',
		description:
			'Read one site of a fish farm by its site ID: its name and, if you like, its info (position, licence, biomass limit) and its units (pens, tanks)',
	},
	fields: [siteIdField, ...wholeSiteFields],
	outputSchema: siteSchema,

	prepare(parameters, itemIndex) {
		return wholeSiteRequests(parameters, itemIndex, [parameters.read(siteId, itemIndex)]);
	},
};
