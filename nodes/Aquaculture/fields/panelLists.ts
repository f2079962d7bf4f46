import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { label } from '../service/site';
import { MESSAGES } from '../messages/messages';
import { accentlessKey, KnownSites } from '../input/knownSites';

/** Searches the list of a resource locator for part of a name or ID, with or without accents. */
export async function searchKnownSites(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	return { results: await optionsFor(this, filter) };
}

/** Loads the list of a field in which several sites are chosen. */
export async function listKnownSites(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await optionsFor(this, '');
}

/** Norwegian: æ, ø and å come last, as on most lists of sites. */
const byName = new Intl.Collator('nb', { numeric: true });

async function optionsFor(
	context: ILoadOptionsFunctions,
	filter: string,
): Promise<Array<{ name: string; value: number | '' }>> {
	const { knownSites } = await context.getCredentials('aquacultureApi');
	const sites = new KnownSites(knownSites);
	if (sites.isEmpty) return [{ name: MESSAGES.node.noSites(), value: '' }];
	const searched = accentlessKey(filter);
	return sites
		.all()
		.map((site) => ({ name: label(site), value: site.siteId }))
		.filter(({ name }) => accentlessKey(name).includes(searched))
		.sort((one, other) => byName.compare(one.name, other.name));
}
