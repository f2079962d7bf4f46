import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { CREDENTIAL_TYPE } from '../service/constants';
import { siteLabel } from '../service/site';
import { MESSAGES } from '../messages/messages';
import { KnownSites } from '../input/knownSites';
import { accentlessKey } from '../input/nameKeys';

/** Searches the list of a resource locator for part of a name or ID, with or without accents. */
export async function searchKnownSites(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	return { results: await listOptions(this, filter) };
}

/** Loads the list of a field in which several sites are chosen. */
export async function listKnownSites(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await listOptions(this, '');
}

async function listOptions(
	context: ILoadOptionsFunctions,
	filter: string,
): Promise<Array<{ name: string; value: number | '' }>> {
	const { knownSites } = await context.getCredentials(CREDENTIAL_TYPE);
	const sites = new KnownSites(knownSites);
	if (sites.isEmpty) return [{ name: MESSAGES.node.noSites(), value: '' }];
	const searched = accentlessKey(filter);
	// Sort æ, ø and å last, as in Norwegian. A collator takes some milliseconds to create, so only when it is needed.
	const collator = new Intl.Collator('nb', { numeric: true });
	return sites
		.all()
		.map((site) => ({ name: siteLabel(site), value: site.siteId }))
		.filter(({ name }) => accentlessKey(name).includes(searched))
		.sort((one, other) => collator.compare(one.name, other.name));
}
