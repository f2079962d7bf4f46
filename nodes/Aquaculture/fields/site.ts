import type { CheckedField } from '../../../api/checked';
import { FIELD_FAULTS } from '../../../api/faults';
import { checkSiteId, checkSiteIds } from '../../../api/parameters';
import { field, type Field, type FieldContext } from './field';
import { findKnownSite, withName, type NamedSite } from './siteLookup';

/** One site: chosen from the list, or named by its ID or by its name. */
export const site = field(
	{
		displayName: 'Site',
		name: 'siteId',
		type: 'resourceLocator',
		required: true,
		default: { mode: 'id', value: '' },
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
			"The site to read: its ID, which is a whole number such as 1001, or its name as entered in 'Known Sites' in the credential",
	},
	(typed, context): CheckedField<NamedSite> => {
		const checked = checkLocator(typed, context);
		return checked.fault === undefined ? { value: withName(checked.value, context) } : checked;
	},
);

/** The name that was typed for {@link site}, whether it is known or not; null where none was typed. */
export const typedName: Field<string | null> = {
	...site,
	check(typed) {
		const isTyped = isLocator(typed) && typed.mode === 'name' && typeof typed.value !== 'object';
		return { value: isTyped ? String(typed.value) : null };
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

function checkLocator(typed: unknown, context: FieldContext): CheckedField<number> {
	const { mode, value } = isLocator(typed) ? typed : { mode: 'id', value: typed };
	const byId = checkSiteId(value);
	const isName = typeof value === 'string' && value.trim() !== '';
	if (isName && (context.isTool ? byId.fault !== undefined : mode === 'name')) {
		return findKnownSite(context, value);
	}
	if (byId.fault === undefined) return byId;
	if (Array.isArray(value) || (checkSiteIds(value).value?.length ?? 0) > 1) {
		return FIELD_FAULTS.severalSites(value);
	}
	return isName && /\p{L}/u.test(value) ? FIELD_FAULTS.nameForId(value) : byId;
}
