import { checkTypedSite, findSite, type TypedSite } from '../sites/typedSites';
import type { NamedSite } from '../sites/finder';
import { field, type SiteField } from './field';

const typedSite = field(
	{
		displayName: 'Site',
		name: 'siteId',
		type: 'resourceLocator',
		required: true,
		default: { mode: 'list', value: '' },
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: 'Select a site',
				typeOptions: { searchListMethod: 'searchKnownSites', searchable: true },
			},
			{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. 1001' },
			{ displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. Storvågen' },
		],
		description:
			"The site to read: its ID, which is a whole number such as 1001, or its name in 'Known Sites' in the credential or in the service's list of sites",
	},
	(typed, { isTool }) => {
		const { mode, value } = isLocator(typed) ? typed : { mode: 'id', value: typed };
		return checkTypedSite(value, mode === 'name', isTool);
	},
	// An agent names the site that it is asked about.
	{ mode: 'id', value: '' },
);

/** One site: chosen from the list, or named by its ID or by its name. */
export const site: SiteField<TypedSite, NamedSite> = {
	...typedSite,
	lookUp: async (typed, directory, { isTool }) => await findSite(typed, directory, isTool),
};

/** What is known of a site that could not be looked up: its ID, or the name that was typed. */
export function nameOnly({ typed, siteId }: TypedSite): {
	siteId: number | null;
	siteName: string | null;
} {
	return siteId === undefined
		? { siteId: null, siteName: String(typed) }
		: { siteId, siteName: null };
}

/** A resource locator as n8n stores it (n8n 1.123 and 2.40). */
interface Locator {
	__rl: true;
	mode: string;
	value: unknown;
}

/** Whether a value is a resource locator, and not the result of an expression in its place. */
export function isLocator(typed: unknown): typed is Locator {
	return typeof typed === 'object' && typed !== null && '__rl' in typed;
}
