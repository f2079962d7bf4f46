import type { Site } from '../../../api/site';
import { siteId } from '../fields/siteId';
import type { Operation } from './operation';
import { siteContract, wholeSiteFields, wholeSiteRequests, type SiteContract } from './wholeSites';

/** Reads the site of each item: one item in, one item out. */
export const getSite: Operation<SiteContract, Site> = {
	option: {
		name: 'Get Site',
		action: 'Get site by ID',
		description:
			'Read one site of a fish farm by its site ID: its name and, if you like, its info (position, licence, biomass limit) and its units (pens, tanks)',
	},
	fields: [siteId, ...wholeSiteFields],
	contract: siteContract,
	outputFields: ({ siteSchema }) => siteSchema.shape,
	requests: (read, contract) => wholeSiteRequests(read, contract, [read(siteId)]),
};
