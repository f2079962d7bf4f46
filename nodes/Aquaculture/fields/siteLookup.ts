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
import type { FieldContext } from './field';

/* Finds sites among those that the credential knows: for the check of a field, and for the lists that the panel offers. */

/** A site that a field names. */
export interface NamedSite {
	siteId: number;
	/** The name by which the credential knows it; null where it knows none. */
	siteName: string | null;
}

/** The sites that are known by name in a credential. */
export function knownSitesOf({ knownSites }: ICredentialDataDecryptedObject): KnownSite[] {
	return readKnownSites(knownSites).sites;
}

/** The names of the known sites that have one, by ID. */
export function namesById(knownSites: readonly KnownSite[]): ReadonlyMap<number, string> {
	return new Map(knownSites.filter(hasName).map(({ siteId, name }) => [siteId, name]));
}

/** The site of this ID, with its name. */
export function withName(siteId: number, { siteNames }: FieldContext): NamedSite {
	return { siteId, siteName: siteNames.get(siteId) ?? null };
}

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
			.map(listEntry),
	};
}

/** The list of a field in which several sites are chosen. */
export async function listKnownSites(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const sites = await knownSitesFor(this);
	if (sites.length === 0) return [{ name: NONE_KNOWN, value: '' }];
	return sites.map(listEntry);
}

function listEntry(site: KnownSite): { name: string; value: number } {
	const { siteId, name } = site;
	return { name: hasName(site) ? `${name} (${siteId})` : name, value: siteId };
}

/** A site that was entered without a name has its ID in place of one. */
function hasName({ siteId, name }: KnownSite): boolean {
	return name !== String(siteId);
}

async function knownSitesFor(context: ILoadOptionsFunctions): Promise<KnownSite[]> {
	return knownSitesOf(await context.getCredentials('aquacultureApi'));
}
