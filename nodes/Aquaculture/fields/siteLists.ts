import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { MESSAGES } from '../../../shared/messages';
import { listLabel, readKnownSites, withListed, type KnownSite } from '../../../shared/knownSites';
import { searchKey } from './searchKey';

/* The lists of sites that the panel offers. */

/** The list of a resource locator: sites whose name or ID contains what is typed, with or without accents. */
export async function searchKnownSites(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const key = searchKey(filter);
	const isFound = (site: KnownSite) => searchKey(listLabel(site)).includes(key);
	return { results: await entriesFor(this, isFound) };
}

/** The list of a field in which several sites are chosen. */
export async function listKnownSites(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await entriesFor(this, () => true);
}

interface Entry {
	name: string;
	/** Empty where the entry is no site. */
	value: number | '';
}

/** The known sites, and before them why there are no more. */
async function entriesFor(
	context: ILoadOptionsFunctions,
	isFound: (site: KnownSite) => boolean,
): Promise<Entry[]> {
	const { knownSites, siteListAddress } = await context.getCredentials('aquacultureApi');
	const entered = readKnownSites(knownSites);
	const { listed = [], fault } = siteListAddress ? await listedFor(context) : {};
	const { sites } = withListed(entered, listed);
	const remark = fault ?? (sites.length === 0 ? MESSAGES.node.noSites() : undefined);
	return [
		...(remark === undefined ? [] : [{ name: remark, value: '' as const }]),
		...sites.filter(isFound).map((site) => ({ name: listLabel(site), value: site.siteId })),
	];
}

async function listedFor(context: ILoadOptionsFunctions) {
	const { sitesForPanel } = await import('../siteList/sitesForPanel');
	return await sitesForPanel(context);
}
