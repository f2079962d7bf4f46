import { distance } from 'fastest-levenshtein';
import type {
	ICredentialDataDecryptedObject,
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import type { CheckedField } from '../../../api/checked';
import { FIELD_FAULTS } from '../../../api/faults';
import { MESSAGES } from '../../../shared/messages';
import { nameKey, readKnownSites, type KnownSite } from '../../../shared/knownSites';
import { field, type FieldContext } from './field';

/** The sites that are known by name in a credential. */
export function knownSitesOf({ knownSites }: ICredentialDataDecryptedObject): KnownSite[] {
	return readKnownSites(knownSites).sites;
}

/** The names of the known sites that have one, by ID. A hidden field: it has no value of its own. */
export const siteNames = field<ReadonlyMap<number, string>>(
	{ displayName: 'Known Sites', name: 'siteNames', type: 'hidden', default: '' },
	(_typed, { knownSites }) => ({
		value: new Map(
			knownSites
				.filter(({ siteId, name }) => name !== String(siteId))
				.map(({ siteId, name }) => [siteId, name]),
		),
	}),
);

/** The site of this name, or why there is none. */
export function findKnownSite(
	{ knownSites, isTool }: FieldContext,
	name: string,
): CheckedField<number> {
	const key = nameKey(name);
	const [found, ...others] = knownSites.filter((site) => nameKey(site.name) === key);
	if (!found) return FIELD_FAULTS.unknownName(name, similarNames(knownSites, key), isTool);
	if (others.length === 0) return { value: found.siteId };
	return FIELD_FAULTS.sharedName(
		name,
		[found, ...others].map(({ siteId }) => siteId),
	);
}

function similarNames(sites: readonly KnownSite[], key: string): string[] {
	const MAX_NAMED = 3;
	return sites
		.map((site) => {
			const name = nameKey(site.name);
			return { site, edits: name.includes(key) ? 0 : distance(name, key) };
		})
		.sort((one, other) => one.edits - other.edits)
		.slice(0, MAX_NAMED)
		.map(({ site }) => site.name);
}

const NONE_KNOWN = MESSAGES.node.noSites();

/** The list of a resource locator: sites whose name or ID contains what is typed. */
export async function searchKnownSites(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const key = nameKey(filter);
	const sites = await knownSitesFor(this);
	if (sites.length === 0) return { results: [{ name: NONE_KNOWN, value: '' }] };
	return {
		results: sites
			.filter(({ siteId, name }) => nameKey(name).includes(key) || String(siteId).includes(key))
			.map(({ siteId, name }) => ({ name: labelOf({ siteId, name }), value: siteId })),
	};
}

/** The list of a field in which several sites are chosen. */
export async function listKnownSites(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const sites = await knownSitesFor(this);
	if (sites.length === 0) return [{ name: NONE_KNOWN, value: '' }];
	return sites.map((site) => ({ name: labelOf(site), value: site.siteId }));
}

function labelOf({ siteId, name }: KnownSite): string {
	return name === String(siteId) ? name : `${name} (${siteId})`;
}

async function knownSitesFor(context: ILoadOptionsFunctions): Promise<KnownSite[]> {
	return knownSitesOf(await context.getCredentials('aquacultureApi'));
}
