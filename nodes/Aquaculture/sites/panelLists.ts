import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { listLabel, readKnownSites, type KnownSite } from '../../../account/knownSites';
import { MESSAGES } from '../../../texts/messages';
import { searchKey } from './searchKey';

/* The lists of sites that the panel offers. */

/** The list of a resource locator: sites whose name or ID contains what is typed, with or without accents. */
export async function searchKnownSites(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const key = searchKey(filter);
	const isFound = (site: KnownSite) => searchKey(listLabel(site)).includes(key);
	return { results: await optionsFor(this, isFound) };
}

/** The list of a field in which several sites are chosen. */
export async function listKnownSites(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await optionsFor(this, () => true);
}

interface SiteOption {
	name: string;
	/** Empty if the entry is no site. */
	value: number | '';
}

/** The known sites, or where to enter them. */
async function optionsFor(
	context: ILoadOptionsFunctions,
	isFound: (site: KnownSite) => boolean,
): Promise<SiteOption[]> {
	const { knownSites, siteListAddress } = await context.getCredentials('aquacultureApi');
	const sites = siteListAddress
		? await sitesWithList(context, knownSites)
		: readKnownSites(knownSites).sites;
	if (sites.length === 0) return [{ name: MESSAGES.node.noSites(), value: '' }];
	return sites.filter(isFound).map((site) => ({ name: listLabel(site), value: site.siteId }));
}

async function sitesWithList(
	context: ILoadOptionsFunctions,
	knownSites: unknown,
): Promise<KnownSite[]> {
	const { sitesForPanel } = await import('./sitesForPanel');
	return await sitesForPanel(context, knownSites);
}
