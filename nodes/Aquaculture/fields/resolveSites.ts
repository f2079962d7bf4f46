import type { KnownSites } from '../input/knownSites';
import { findEachSite, findSite, findSites } from '../input/siteReferences';
import { INVALID_SITE, type Invalid } from '../messages/invalid';
import { MESSAGES, type FailureText } from '../messages/messages';
import type { SiteRef } from '../service/site';
import type { NodeParameters } from './parameters';
import { limitOption, LIST_FIELDS, siteField, sitesChoice } from './siteFields';

/* Finds the sites that the fields of `siteFields.ts` name. Throws a NodeOperationError that names the field and the item. */

export function resolveSite(
	parameters: NodeParameters,
	known: KnownSites,
	itemIndex: number,
): SiteRef {
	const found = findSite(parameters.get(siteField, itemIndex), known);
	return parameters.unwrap(siteField, found, itemIndex);
}

/** Finds the sites of an item, in the order in which the fields name them, repetitions included. */
export function resolveSites(
	parameters: NodeParameters,
	known: KnownSites,
	itemIndex: number,
): SiteRef[] {
	const choice = parameters.get(sitesChoice, itemIndex);
	if (choice === 'all') {
		const maxSites = parameters.get(limitOption, itemIndex);
		return getAllSites(parameters, known, itemIndex).slice(0, maxSites);
	}
	const field = LIST_FIELDS[choice];
	const found = findSites(parameters.get(field, itemIndex), known);
	return parameters.unwrap(field, found, itemIndex);
}

function getAllSites(parameters: NodeParameters, known: KnownSites, itemIndex?: number): SiteRef[] {
	const found = known.isEmpty ? { failure: INVALID_SITE.noKnownSites() } : { value: known.all() };
	return parameters.unwrap(sitesChoice, found, itemIndex);
}

/** With more unusable entries than this, the field does not contain a list of sites. */
const MAX_INVALID_ENTRIES = 100;

/**
 * Finds the sites for a trigger, and describes the entries that name none. A trigger watches the others until somebody corrects
 * the field. Throws only if there is nothing to watch.
 */
export function resolveWatchedSites(
	parameters: NodeParameters,
	known: KnownSites,
): { sites: SiteRef[]; unusable: FailureText[] } {
	const choice = parameters.get(sitesChoice);
	if (choice === 'all') {
		const sites = getAllSites(parameters, known);
		const { unusableLines } = known;
		if (unusableLines.length === 0) return { sites, unusable: [] };
		return { sites, unusable: [MESSAGES.trigger.skippedLines(unusableLines)] };
	}
	const field = LIST_FIELDS[choice];
	const sites: SiteRef[] = [];
	const invalidEntries: Invalid[] = [];
	for (const site of findEachSite(parameters.get(field), known)) {
		if (site.failure) invalidEntries.push(site.failure);
		else sites.push(site.value);
		if (invalidEntries.length > MAX_INVALID_ENTRIES) break;
	}
	const [first] = invalidEntries;
	const isUsable = sites.length > 0 && invalidEntries.length <= MAX_INVALID_ENTRIES;
	if (first && !isUsable) throw parameters.createError(field, first);
	return {
		sites,
		unusable: invalidEntries.map((reason) => parameters.describeInvalid(field, reason)),
	};
}
