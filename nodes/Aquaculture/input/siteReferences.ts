import { INVALID_SITE, INVALID_VALUE, type Invalid } from '../messages/invalid';
import type { SiteRef } from '../service/site';
import type { Result } from '../messages/failure';
import type { KnownSites } from './knownSites';
import { checkSiteId, cleanText, looksLikeNumber, splitLine, unquote } from './siteText';
import { isBlank } from './values';

/* Finds the sites that the value of a field names. `siteText.ts` says how they may be written. */

/** What a person, an item or an agent enters for one site. */
export interface EnteredSite {
	input: string | number;
	/** How the field takes it: 'list', 'id' or 'name'. */
	mode: string;
}

/** Finds a site by its ID, its name or label in 'Known Sites', or its line there. With the mode 'name', names come first. */
export function findSite(
	{ input, mode }: EnteredSite,
	known: KnownSites,
): Result<SiteRef, Invalid> {
	const found = lookUp(input, known, mode === 'name');
	if (found.value) return found;
	const several = findSites(input, known).value ?? [];
	return several.length > 1 ? { failure: INVALID_SITE.severalSites(input) } : found;
}

/** Finds the sites of a list, in its order, repetitions included. Stops at the first part that names no site. */
export function findSites(input: unknown, known: KnownSites): Result<SiteRef[], Invalid> {
	const found: SiteRef[] = [];
	for (const site of findEachSite(input, known)) {
		if (site.failure) return site;
		found.push(site.value);
	}
	return { value: found };
}

/** Finds the site of each part of a list, or says why the part cannot be used. */
export function* findEachSite(
	input: unknown,
	known: KnownSites,
): Generator<Result<SiteRef, Invalid>> {
	const parts = splitList(input, known).filter((part) => !isBlank(part));
	for (const part of parts) yield lookUp(part, known, false);
	if (parts.length > 0) return;
	// Without known sites, the list in the panel offers nothing but an empty value.
	const isEmptyChoice = known.hasNoSites && Array.isArray(input);
	yield { failure: isEmptyChoice ? INVALID_SITE.noKnownSites() : INVALID_VALUE.empty() };
}

/** @param byName whether to look for a name before an ID. */
function lookUp(input: unknown, known: KnownSites, byName: boolean): Result<SiteRef, Invalid> {
	const id = checkSiteId(input);
	if (id.value !== undefined && !byName) return { value: known.byId(id.value) };
	if (id.failure && typeof input !== 'string') return id;

	const text = unquote(cleanText(String(input)).trim());
	const siteIds = known.find(text);
	if (siteIds.length > 1) return { failure: INVALID_SITE.sharedName(text, siteIds) };
	const siteId = siteIds[0] ?? findByLine(text, known) ?? id.value;
	if (siteId !== undefined) return { value: known.byId(siteId) };
	// Why it is not an ID helps more than that no site has this name.
	return id.failure && looksLikeNumber(text) ? id : { failure: INVALID_SITE.unknownName(text) };
}

/** Finds the ID of a line as in 'Known Sites', whose name fits. `1005 1006` are two sites, whatever their names are. */
function findByLine(text: string, known: KnownSites): number | undefined {
	const { siteId, rest: name } = splitLine(text.trim()) ?? { rest: '' };
	if (siteId === undefined || /^\d+$/.test(name)) return undefined;
	return known.find(unquote(name)).includes(siteId) ? siteId : undefined;
}

/** Splits a list into parts that name one site each. Some may be empty. */
function splitList(input: unknown, known: KnownSites): unknown[] {
	if (Array.isArray(input)) return input;
	if (typeof input !== 'string') return [input];
	// Language models write lists as JSON.
	const text = cleanText(input)
		.replace(/^\s*\[(.*)\]\s*$/s, '$1')
		.trim();
	// Alone, `7,100` is two IDs.
	return /^[\d,]+$/.test(text) ? text.split(/,(?!0)/) : splitText(text, known);
}

/** Splits a text into lines and further, but keeps a part whole that is a known name, or a line of 'Known Sites'. */
function splitText(text: string, known: KnownSites): string[] {
	const isLine = (part: string) => findByLine(part, known) !== undefined;
	const isWhole = (part: string) => known.find(unquote(part)).length > 0 || isLine(part);
	return text
		.split('\n')
		.flatMap((line) => (isLine(line) ? [line] : line.split(/[;\t]/)))
		.flatMap((part) => (isWhole(part) ? [part] : part.split(COMMA)))
		.flatMap((part) => (IDS.test(part) && !THOUSANDS.test(part) ? part.split(/\s/) : [part]));
}

/** A comma between parts. Within a number, it may be that of decimals or thousands: `1001,0`, `1,2E+04`, `36,548`. */
const COMMA = /(?<!\d),|,(?!0|\d+E|\d{3}(?!\d))/i;
/** IDs with spaces between them. */
const IDS = /^[\d\s]+$/;
/** What may be one number: `7 100`. */
const THOUSANDS = /(?<!\d)\d{1,3}\s\d{3}(?!\d)/;
