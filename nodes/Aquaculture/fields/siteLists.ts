import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { MESSAGES } from '../../../shared/messages';
import { listLabel, readKnownSites, type KnownSite } from '../../../shared/knownSites';
import { searchKey } from './searchKey';

/* The lists of known sites that the panel offers. */

const NONE_KNOWN = MESSAGES.node.noSites();

/** The list of a resource locator: sites whose name or ID contains what is typed, with or without accents. */
export async function searchKnownSites(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const key = searchKey(filter);
	const sites = await knownSitesFor(this);
	if (sites.length === 0) return { results: [{ name: NONE_KNOWN, value: '' }] };
	return {
		results: sites.filter((site) => searchKey(listLabel(site)).includes(key)).map(listEntry),
	};
}

/** The list of a field in which several sites are chosen. */
export async function listKnownSites(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const sites = await knownSitesFor(this);
	if (sites.length === 0) return [{ name: NONE_KNOWN, value: '' }];
	return sites.map(listEntry);
}

function listEntry(site: KnownSite): { name: string; value: number } {
	return { name: listLabel(site), value: site.siteId };
}

async function knownSitesFor(context: ILoadOptionsFunctions): Promise<KnownSite[]> {
	const { knownSites } = await context.getCredentials('aquacultureApi');
	return readKnownSites(knownSites).sites;
}
