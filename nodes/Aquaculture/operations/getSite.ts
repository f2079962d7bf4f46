import type { Site } from '../../../api/site';
import { site, typedName } from '../fields/site';
import type { Operation } from './operation';
import {
	NO_SITE,
	siteContract,
	wholeSiteFields,
	wholeSiteRequests,
	type SiteContract,
} from './wholeSites';

/** Reads the site of each item: one item in, one item out. */
export const getSite: Operation<SiteContract, Site> = {
	option: {
		name: 'Get Site',
		action: 'Get a site',
		description: 'Read one site of a fish farm by its ID or name',
	},
	fields: [site, ...wholeSiteFields],
	contract: siteContract,
	outputFields: ({ siteSchema }) => siteSchema.shape,
	identify: (read) =>
		attempt(() => ({ ...read(site) })) ??
		attempt(() => ({ ...NO_SITE, siteName: read(typedName) })) ??
		NO_SITE,
	requests: (read, contract) => wholeSiteRequests(read, contract, [read(site)]),
};

/** Undefined where it throws. */
function attempt<T>(read: () => T): T | undefined {
	try {
		return read();
	} catch {
		return undefined;
	}
}
