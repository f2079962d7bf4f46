import { siteId, siteIdField } from './fields/siteId';
import type { Operation } from './operation';
import { planWholeSites, wholeSiteFields } from './wholeSites';

/** Reads the site of each item: one item in, one item out. */
export const getSite: Operation = {
	option: {
		name: 'Get Site',
		action: 'Get site',
		description: 'Read one site: its name and, if you like, its info and its units',
	},
	fields: [siteIdField, ...wholeSiteFields],

	prepare(parameters, itemIndex) {
		return planWholeSites(parameters, itemIndex, [parameters.read(siteId, itemIndex)]);
	},
};
