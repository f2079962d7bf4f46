import type { IExecuteFunctions } from 'n8n-workflow';
import type { NodeParameters } from '../fields/parameters';
import { site as siteField, readSiteList } from '../fields/sites';
import type { KnownSites } from '../input/knownSites';
import { findSite } from '../input/siteReferences';
import { UNKNOWN_SITE, type ErrorItemSite } from '../output/results';
import type { ItemFields } from './operation';

/** Returns the fields of the node for one input item, which are read on demand. */
export function createItemFields(
	context: IExecuteFunctions,
	parameters: NodeParameters,
	knownSites: KnownSites,
	itemIndex: number,
): ItemFields {
	return {
		itemJson: context.getInputData()[itemIndex]?.json ?? {},
		read: (field) => parameters.read(field, itemIndex),
		site() {
			const found = findSite(parameters.read(siteField, itemIndex), knownSites, parameters.isTool);
			if (found.reason === undefined) return found.value;
			throw parameters.createError(siteField, found, itemIndex);
		},
		sites: () => readSiteList(parameters, knownSites, itemIndex),
	};
}

/** Describes the site of an item that cannot be used: the site itself if it is known, or what was entered as its ID or name. */
export function describeFailedSite({ read }: ItemFields, knownSites: KnownSites): ErrorItemSite {
	try {
		const reference = read(siteField);
		const input = String(reference.input);
		const asTyped = /\p{L}/u.test(input) ? { siteName: input } : { siteId: input };
		return findSite(reference, knownSites, false).value ?? { ...UNKNOWN_SITE, ...asTyped };
	} catch {
		return UNKNOWN_SITE;
	}
}
