import type { Site } from '../../../service/siteAnswer';
import { nameOnly, site } from '../fields/site';
import type { Operation } from './operation';
import { NO_SITE, siteContract, wholeSites, type SiteContract } from './wholeSites';

/** People who read one site want it as the service sends it. */
const { fields, outputFields, requests } = wholeSites(false);

/** Reads the site of each item: one item in, one item out. */
export const getSite: Operation<SiteContract, Site> = {
	option: {
		name: 'Get Site',
		action: 'Get a site with position, licence and units',
		description: 'Read one site of a fish farm by its ID or name',
	},
	fields: [site, ...fields],
	contract: siteContract,
	outputFields,
	identify({ read, found }) {
		try {
			return { ...(found(site) ?? nameOnly(read(site))) };
		} catch {
			return NO_SITE;
		}
	},
	requests: async (reader, contract) => requests(reader, contract, [await reader.find(site)]),
};
