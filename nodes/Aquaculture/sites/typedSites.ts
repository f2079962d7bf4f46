import type { Checked } from '../../../texts/checked';
import { VALUE_FAULTS, type Fault } from '../../../texts/faults';
import { FIELD_FAULTS, enterSite } from '../../../texts/fieldFaults';
import { checkSiteId, checkSiteIds, jsonList } from '../../../service/requestValues';
import type { Outcome } from '../requests/outcome';
import type { SiteDirectory } from './directory';
import { isKnown, type ListEntry, type Finder, type NamedSite } from './finder';

/* Which sites a value means: by their IDs, or as the directory knows them. */

/** The sites that a value means, or what is wrong with it; `failure` if the service's list was needed and not read. */
export type Found<T> = Checked<T> | (Outcome<never> & { fault?: never });

/** What a person or an item names as one site. */
export interface TypedSite {
	typed: string | number;
	/** The ID that it is, even if no site of that ID is known; undefined if it can only be a name. */
	siteId: number | undefined;
	/** What is wrong with it as an ID. */
	fault: Fault | undefined;
	/** Whether it means a known site, even if it is a number. */
	byName: boolean;
}

/** What is between the entries of a text, tried one after the other: a name may contain blanks and commas. */
const LINE_ENDS = /[;\t\n\r]/;

/**
 * Checks what was typed for one site, as far as that is possible without a look-up.
 *
 * @param byName whether the value is a text that means a known site, even if it is a number. A tool may be given any ID
 *   all the same.
 */
export function checkTypedSite(
	typed: unknown,
	byName: boolean,
	isTool: boolean,
): Checked<TypedSite> {
	const { value: siteId, ...fault } = checkSiteId(typed);
	if (isEmpty(typed)) return VALUE_FAULTS.empty();
	if (Array.isArray(typed)) return FIELD_FAULTS.severalSites(typed);
	if (typeof typed !== 'string' && typeof typed !== 'number') return fault as Fault;
	return {
		value: {
			typed,
			siteId: byName && !isTool ? undefined : siteId,
			fault: siteId === undefined ? (fault as Fault) : undefined,
			byName,
		},
	};
}

/** The site that a value means: any ID, or a known site by its name, or else its label in n8n's lists, or else its ID. */
export async function findSite(
	site: TypedSite,
	directory: SiteDirectory,
	isTool: boolean,
): Promise<Found<NamedSite>> {
	const { typed, siteId, byName } = site;
	if (siteId !== undefined && !byName) return { value: directory.named(siteId) };
	const text = String(typed);
	const { value: entries, failure } = await directory.lookUp((finder) => readOne(site, finder));
	if (failure) return { failure };
	const [first, ...others] = entries;
	if (first && others.length === 0 && first.sites.length > 0) return onlyOne(first.sites, text);
	if (others.length > 0 && entries.every(isKnown)) return FIELD_FAULTS.severalSites(typed);
	return unknownSite(site, directory, isTool);
}

function readOne({ typed, siteId, fault }: TypedSite, finder: Finder): ListEntry[] {
	const sites = finder.find(String(typed));
	if (sites.length > 0) return [{ typed, sites }];
	if (siteId !== undefined) return [{ typed, sites: [finder.named(siteId)] }];
	const isOne = !fault || typeof typed === 'number';
	return isOne ? [{ typed, sites: [] }] : readEntries(typed, finder);
}

function unknownSite(
	{ typed, fault, byName }: TypedSite,
	directory: SiteDirectory,
	isTool: boolean,
): Checked<never> {
	const text = String(typed);
	if (!fault || byName || (typeof typed === 'string' && hasLetters(text))) {
		return unknownName(text, directory, byName, isTool);
	}
	return typeof typed === 'number' ? fault : withAdvice(fault, directory, isTool);
}

/** Checks what was typed for several sites, as far as that is possible without a look-up. */
export function checkTypedSites(typed: unknown): Checked<unknown> {
	if (isEmpty(typed)) return VALUE_FAULTS.empty();
	const isList = Array.isArray(typed) || typeof typed === 'string' || typeof typed === 'number';
	return isList ? { value: typed } : VALUE_FAULTS.notIdList(typed);
}

/** The sites that a list means, in its order, repetitions included: their IDs, their names, or their labels in n8n's lists. */
export async function findSites(
	typed: unknown,
	directory: SiteDirectory,
	isTool: boolean,
): Promise<Found<NamedSite[]>> {
	const { value: entries, failure } = await directory.lookUp((finder) =>
		readEntries(typed, finder),
	);
	if (failure) return { failure };
	if (entries.length === 0) return VALUE_FAULTS.empty();
	const shared = entries.find(({ sites }) => sites.length > 1);
	if (shared) return onlyOne(shared.sites, String(shared.typed)) as Fault;
	const unknown = entries.filter((entry) => !isKnown(entry)).map((entry) => entry.typed);
	const name = unknown.find((entry) => typeof entry === 'string' && hasLetters(entry));
	if (name !== undefined) return unknownName(String(name), directory, false, isTool);
	if (unknown.length > 0) {
		const refused = checkSiteIds(unknown) as Fault;
		const isText = unknown.some((entry) => typeof entry === 'string');
		return isText ? withAdvice(refused, directory, isTool) : refused;
	}
	return { value: entries.flatMap(({ sites }) => sites) };
}

/** Reads a list: the elements of an array, or the parts of a text. */
function readEntries(typed: unknown, finder: Finder): ListEntry[] {
	return elementsOf(typed).flatMap((element) => {
		if (isEmpty(element)) return [];
		if (typeof element === 'string') return readText(element, finder);
		const { value: siteId } = checkSiteId(element);
		return [{ typed: element, sites: siteId === undefined ? [] : [finder.named(siteId)] }];
	});
}

/** IDs, or a name as a whole, or parts: lines, and those between commas. */
function readText(text: string, finder: Finder): ListEntry[] {
	return (
		readWhole(text, finder) ??
		text.split(LINE_ENDS).flatMap((line) => readWhole(line, finder) ?? readParts(line, finder))
	);
}

/** @returns undefined if it is neither IDs nor known as it is. */
function readWhole(text: string, finder: Finder): ListEntry[] | undefined {
	if (isEmpty(text)) return [];
	const { value: ids } = hasLetters(text) ? {} : checkSiteIds(text);
	if (ids) return ids.map((siteId) => ({ typed: text, sites: [finder.named(siteId)] }));
	const sites = finder.find(text);
	return sites.length > 0 ? [{ typed: text.trim(), sites }] : undefined;
}

/** The parts between commas. A name that contains a comma is recognised on a line of its own only. */
function readParts(line: string, finder: Finder): ListEntry[] {
	return line
		.split(',')
		.flatMap((part) => readWhole(part, finder) ?? [{ typed: part.trim(), sites: [] }]);
}

/** The elements of a list, which may be written as JSON. A text or a number is the only element of one. */
function elementsOf(typed: unknown): unknown[] {
	const list = typeof typed === 'string' ? jsonList(typed) : typed;
	return Array.isArray(list) ? list : [typed];
}

function isEmpty(typed: unknown): boolean {
	return typed === null || typed === undefined || (typeof typed === 'string' && !typed.trim());
}

function hasLetters(text: string): boolean {
	return /\p{L}/u.test(text);
}

function onlyOne(sites: readonly NamedSite[], text: string): Checked<NamedSite> {
	const [site, ...others] = sites as [NamedSite, ...NamedSite[]];
	if (others.length === 0) return { value: site };
	return FIELD_FAULTS.sharedName(
		text,
		sites.map(({ siteId }) => siteId),
	);
}

function unknownName(
	text: string,
	directory: SiteDirectory,
	byName: boolean,
	isTool: boolean,
): Fault {
	const { hasList } = directory;
	return FIELD_FAULTS.unknownName(text, directory.similarNames(text), { byName, isTool, hasList });
}

/** A fault with the ways to enter a site, unless it says what to do. */
function withAdvice(fault: Fault, { hasList }: SiteDirectory, isTool: boolean): Fault {
	return { description: enterSite({ byName: false, isTool, hasList }), ...fault };
}
