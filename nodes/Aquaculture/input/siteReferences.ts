import type { Checked } from '../messages/checked';
import type { NamedSite } from '../service/site';
import { checkSiteId, faultOfIds, isEmpty, splitIds, trimmed, visible } from './values';
import { enterSite, SITE_FAULTS, VALUE_FAULTS, type Fault } from '../messages/faults';
import type { Parameters } from '../fields/parameters';
import { ALL, namingField, sitesChoice, type TypedSite } from '../fields/sites';
import type { LookUp, Sites } from './sites';

/* Which sites a value means: by their IDs, or as they are known. */

/** A part of what was typed, and the sites that it may mean: none if it is unknown, several if they share a name. */
interface Entry {
	typed: unknown;
	found: readonly NamedSite[];
}

/**
 * The site that a value means: any ID, or a known site by its name, or else its label in n8n's lists, or else its ID. A tool
 * may be given any ID, also by name.
 */
export function findSite(
	{ typed, byName }: TypedSite,
	sites: Sites,
	isTool: boolean,
): Checked<NamedSite> {
	const text = String(trimmed(typed));
	const { value: siteId, ...idFault } = checkSiteId(typed);
	if (siteId !== undefined && !byName) return { value: sites.named(siteId) };
	const found = sites.find(text);
	if (found.length > 0) return onlyOne(found, text);
	if (siteId !== undefined && isTool) return { value: sites.named(siteId) };
	const entries =
		siteId === undefined && typeof typed === 'string' ? readEntries(typed, sites) : [];
	if (entries.length > 1 && entries.every(isKnown)) return SITE_FAULTS.severalSites(typed);
	const isName = siteId !== undefined || byName || hasLetters(text);
	if (isName) return unknownName(text, sites, byName, isTool);
	return typeof typed === 'number'
		? (idFault as Fault)
		: withAdvice(idFault as Fault, sites, isTool);
}

/**
 * The sites that the fields for several sites name, in their order, repetitions included.
 *
 * @throws NodeOperationError that names the field and the item.
 */
export function namedSites(parameters: Parameters, sites: Sites, itemIndex?: number): NamedSite[] {
	const choice = parameters.read(sitesChoice, itemIndex);
	const field = namingField(choice);
	const found =
		choice === ALL
			? allSites(sites)
			: findSites(parameters.read(field, itemIndex), sites, parameters.isTool);
	if (found.fault === undefined) return found.value;
	throw parameters.errorOf(field, found, itemIndex);
}

/** The sites that are known of those that the fields for several sites name, and what is not. */
export function knownAmong(
	parameters: Parameters,
	sites: Sites,
): { known: NamedSite[]; unknown: string[] } {
	const choice = parameters.read(sitesChoice);
	if (choice === ALL) return { known: sites.all(), unknown: [] };
	const entries = readEntries(parameters.read(namingField(choice)), sites);
	return {
		known: entries.flatMap(({ found }) => found),
		unknown: entries.filter((entry) => !isKnown(entry)).map(({ typed }) => String(typed)),
	};
}

function allSites(sites: Sites): Checked<NamedSite[]> {
	const all = sites.all();
	return all.length > 0 ? { value: all } : SITE_FAULTS.noKnownSites();
}

/** The sites that a list means, in its order, repetitions included: their IDs, their names, or their labels in n8n's lists. */
function findSites(typed: unknown, sites: Sites, isTool: boolean): Checked<NamedSite[]> {
	// What the credential knows needs no list, and means the same whether or not other items have it loaded.
	const entered = readEntries(typed, sites.entered);
	const entries = entered.every(isKnown) ? entered : readEntries(typed, sites);
	if (entries.length === 0) {
		return sites.isEmpty && Array.isArray(typed)
			? SITE_FAULTS.noKnownSites()
			: VALUE_FAULTS.empty();
	}
	const shared = entries.find(({ found }) => found.length > 1);
	if (shared) return onlyOne(shared.found, String(shared.typed)) as Fault;
	const unknown = entries.filter((entry) => !isKnown(entry)).map((entry) => entry.typed);
	const name = unknown.find((entry) => typeof entry === 'string' && hasLetters(entry));
	if (name !== undefined) return unknownName(String(name), sites, false, isTool);
	if (unknown.length === 0) return { value: entries.flatMap(({ found }) => found) };
	const fault = faultOfIds(unknown) as Fault;
	const isText = unknown.some((entry) => typeof entry === 'string');
	return isText ? withAdvice(fault, sites, isTool) : fault;
}

/** Reads a list: the elements of an array, which may be written as JSON, or the parts of a text. */
function readEntries(typed: unknown, lookUp: LookUp): Entry[] {
	const list = typeof typed === 'string' ? jsonList(visible(typed)) : typed;
	return (Array.isArray(list) ? (list as unknown[]) : [typed]).flatMap((element) => {
		if (isEmpty(element)) return [];
		return typeof element === 'string'
			? readText(visible(element), lookUp)
			: [readId(element, lookUp)];
	});
}

/** As language models write a list. */
function jsonList(typed: string): unknown {
	try {
		return typed.trim().startsWith('[') ? JSON.parse(typed) : undefined;
	} catch {
		return undefined;
	}
}

/** IDs, or a name as a whole, or parts: lines, and those between commas. A name may contain blanks and commas. */
function readText(text: string, lookUp: LookUp): Entry[] {
	return (
		readWhole(text, lookUp) ??
		text
			.split(/[;\t\n\r]/)
			.flatMap(
				(line) =>
					readWhole(line, lookUp) ?? line.split(',').flatMap((part) => readPart(part, lookUp)),
			)
	);
}

function readPart(part: string, lookUp: LookUp): Entry[] {
	return readWhole(part, lookUp) ?? [{ typed: part.trim(), found: [] }];
}

/** @returns undefined if it is neither IDs nor known as it is. */
function readWhole(text: string, lookUp: LookUp): Entry[] | undefined {
	if (isEmpty(text)) return [];
	const ids = hasLetters(text) ? [] : splitIds(text).map((id) => readId(id, lookUp));
	if (ids.length > 0 && ids.every(isKnown)) return ids;
	const found = lookUp.find(text);
	if (found.length > 0) return [{ typed: text.trim(), found }];
	// Each is told by itself, unless a part of it is known by a name.
	return ids.length > 0 && !/[,;\t\n\r]/.test(text) ? ids : undefined;
}

function readId(typed: unknown, lookUp: LookUp): Entry {
	const { value: siteId } = checkSiteId(typed);
	return { typed, found: siteId === undefined ? [] : [lookUp.named(siteId)] };
}

function isKnown({ found }: Entry): boolean {
	return found.length > 0;
}

function hasLetters(text: string): boolean {
	return /\p{L}/u.test(text);
}

function onlyOne(found: readonly NamedSite[], text: string): Checked<NamedSite> {
	const [site, ...others] = found as [NamedSite, ...NamedSite[]];
	if (others.length === 0) return { value: site };
	return SITE_FAULTS.sharedName(
		text,
		found.map(({ siteId }) => siteId),
	);
}

function unknownName(text: string, sites: Sites, byName: boolean, isTool: boolean): Fault {
	const { hasList } = sites;
	return SITE_FAULTS.unknownName(text, sites.similarNames(text), { byName, isTool, hasList });
}

/** A fault with the ways to enter a site, unless it says what to do. */
function withAdvice(fault: Fault, { hasList }: Sites, isTool: boolean): Fault {
	return { description: enterSite({ byName: false, isTool, hasList }), ...fault };
}
