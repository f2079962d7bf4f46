import type { IExecuteFunctions } from 'n8n-workflow';
import type { Parameters } from '../fields/parameters';
import { site as siteField, sitesOf } from '../fields/sites';
import type { KnownSites } from '../input/knownSites';
import { siteOf } from '../input/siteReferences';
import { UNKNOWN_SITE, type FailedSite } from '../output/results';
import type { ItemFields } from './operation';

/** Reads the fields of the node for one input item. */
export function fieldsOf(
	context: IExecuteFunctions,
	parameters: Parameters,
	sites: KnownSites,
	itemIndex: number,
): ItemFields {
	return {
		input: context.getInputData()[itemIndex]?.json ?? {},
		read: (field) => parameters.read(field, itemIndex),
		site() {
			const found = siteOf(parameters.read(siteField, itemIndex), sites, parameters.isTool);
			if (found.fault === undefined) return found.value;
			throw parameters.errorOf(siteField, found, itemIndex);
		},
		sites: () => sitesOf(parameters, sites, itemIndex),
	};
}

/** Returns what is known of the site of an item with an unusable field: what was typed, as an ID or a name. */
export function typedSite({ read }: ItemFields, sites: KnownSites): FailedSite {
	try {
		const reference = read(siteField);
		const typed = String(reference.typed);
		const asTyped = /\p{L}/u.test(typed) ? { siteName: typed } : { siteId: typed };
		return siteOf(reference, sites, false).value ?? { ...UNKNOWN_SITE, ...asTyped };
	} catch {
		return UNKNOWN_SITE;
	}
}
