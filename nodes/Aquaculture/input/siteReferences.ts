import { INVALID_SITE, INVALID_VALUE, type Invalid } from '../messages/invalid';
import type { SiteRef } from '../service/site';
import type { Result } from '../messages/failure';
import type { KnownSites } from './knownSites';
import { checkSiteId, cleanText, looksLikeNumber, split, splitLine, unquote } from './siteText';
import { isBlank } from './values';

/* Finds the sites that the value of a field names. `siteText.ts` says how they may be written. */

/** Finds a site by its ID, its name or label in 'Known Sites', or its line there. */
export function findSite(input: string | number, known: KnownSites): Result<SiteRef, Invalid> {
	const found = lookUp(input, known);
	if (found.value) return found;
	const several = findSites(input, known).value ?? [];
	return several.length > 1 ? { failure: INVALID_SITE.severalSites(input) } : found;
}

/**
 * Finds the sites of a list, in its order, repetitions included: `fetchAll` requests each once. Stops at the first part that names no
 * site.
 */
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
	for (const part of parts) yield lookUp(part, known);
	if (parts.length > 0) return;
	// Without known sites, the list in the panel offers nothing but an empty value.
	const isEmptyChoice = known.hasNoSites && Array.isArray(input);
	yield { failure: isEmptyChoice ? INVALID_SITE.noKnownSites() : INVALID_VALUE.empty() };
}

/** A name has a letter, so no ID is a name. */
function lookUp(input: unknown, known: KnownSites): Result<SiteRef, Invalid> {
	const id = checkSiteId(input);
	if (id.value !== undefined) return { value: known.byId(id.value) };
	if (typeof input !== 'string') return id;

	const text = unquote(cleanText(input).trim());
	const siteIds = known.find(text);
	if (siteIds.length > 1) return { failure: INVALID_SITE.sharedName(text, siteIds) };
	const siteId = siteIds[0] ?? findByLine(text, known);
	if (siteId !== undefined) return { value: known.byId(siteId) };
	// Why it is not an ID helps more than that no site has this name.
	return looksLikeNumber(text) ? id : { failure: INVALID_SITE.unknownName(text) };
}

/** Finds the ID of a line as in 'Known Sites', whose name fits. */
function findByLine(text: string, known: KnownSites): number | undefined {
	const { siteId, rest = '' } = splitLine(text.trim()) ?? {};
	return siteId !== undefined && known.find(unquote(rest)).includes(siteId) ? siteId : undefined;
}

/** Splits a list into parts that name one site each. Some may be empty. */
function splitList(input: unknown, known: KnownSites): unknown[] {
	if (Array.isArray(input)) return input;
	if (typeof input !== 'string') return [input];
	// Language models write lists as JSON.
	const text = cleanText(input)
		.replace(/^\s*\[(.*)\]\s*$/s, '$1')
		.trim();
	return splitText(text, known);
}

/** `1001,0`, `1,2E+04`. */
const DECIMALS = /\d,(?:0|\d+E)/i;
/** `36,548`. */
const THOUSANDS = /(?<!\d)\d{1,3},\d{3}(?!\d)/;
/** `36 548`. */
const SPACED_THOUSANDS = /(?<!\d)\d{1,3}\s\d{3}(?!\d)/;

/**
 * Splits a text into parts, but keeps a part whole that is a known name, or a line of 'Known Sites'. A part that may be one number, such
 * as `36,548`, stays whole, too, and is refused later; a text of nothing but digits and commas is split. Between commas, a name that has
 * a comma itself is not recognised: use its ID, or an element of an array.
 */
function splitText(text: string, known: KnownSites): string[] {
	const isLine = (part: string) => findByLine(part, known) !== undefined;
	const isWhole = (part: string) => known.find(unquote(part)).length > 0 || isLine(part);
	const mayBeNumber = (part: string) =>
		DECIMALS.test(part) || (THOUSANDS.test(part) && !/^[\d,]+$/.test(text));
	// In `7, 36,548`, only a comma before a space surely separates.
	const commaIn = (part: string) => (mayBeNumber(part) ? ',\\s' : ',');
	const areIds = (part: string) => /^[\d\s]+$/.test(part) && !SPACED_THOUSANDS.test(part);
	return split(text, '\n')
		.flatMap((line) => (isLine(line) ? [line] : split(line, '[;\t]'))) // `Vik; 1002`.
		.flatMap((part) => (isWhole(part) ? [part] : split(part, commaIn(part)))) // `Vik, 1002`.
		.flatMap((part) => (areIds(part) ? part.split(/\s/) : [part])); // `1001 1002`.
}
