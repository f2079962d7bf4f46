import type { CheckedField } from '../../../api/checkResult';
import { field, type Field } from './field';
import type { NamedSite } from './knownSiteIndex';
import { findSite } from './siteLookup';

/** One site: chosen from the list, or named by its ID or by its name. */
export const site = field(
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
	(typed, context): CheckedField<NamedSite> => {
		const { mode, value } = isLocator(typed) ? typed : { mode: 'id', value: typed };
		const found = findSite(value, mode === 'name', context);
		return found.fault === undefined ? { value: context.knownSites.named(found.value) } : found;
	},
	// An agent names the site that it is asked about.
	{ mode: 'id', value: '' },
);

/** The name that was typed for {@link site}, whether it is known or not; null where none was typed. */
export const typedName: Field<string | null> = {
	...site,
	check(typed) {
		const { value } = isLocator(typed) && typed.mode === 'name' ? typed : {};
		return { value: value === undefined || typeof value === 'object' ? null : String(value) };
	},
};

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
