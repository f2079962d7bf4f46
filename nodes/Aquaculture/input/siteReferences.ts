import { INVALID_SITE, INVALID_VALUE, type Invalid } from '../messages/invalid';
import type { SiteRef } from '../service/site';
import type { Result } from '../messages/failure';
import type { KnownSites } from './knownSites';
import {
	CELL_BREAK,
	checkSiteId,
	cleanText,
	looksLikeNumber,
	splitLine,
	unquote,
} from './siteText';
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

	const text = cleanText(String(input)).replaceAll(CELL_BREAK, ' ').trim();
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
	if (siteId === undefined || looksLikeNumber(name)) return undefined;
	return known.find(unquote(name)).includes(siteId) ? siteId : undefined;
}

/** Splits a list into parts that name one site each. Some may be empty. */
function splitList(input: unknown, known: KnownSites): unknown[] {
	if (Array.isArray(input)) return input;
	if (typeof input !== 'string') return [input];
	const text = cleanText(input);
	return parseJsonList(text) ?? splitText(text, known);
}

/**
 * A text, or a number in any form: JSON would read `13.000` as 13, `1E3` as 1000, `1,2E+04` as 1 and 20000. A text may lack its end:
 * otherwise the search for it would begin again at each of its escaped quotes.
 */
const TEXT_OR_NUMBER = /("(?:[^"\\]|\\.)*"?)|[-\d.]+(?:,\d+(?=e))?(?:e[-+]?\d+)?/gi;

/** Language models write lists as JSON. Numbers are read as texts, so that forms that could mean another site are refused. */
function parseJsonList(text: string): unknown[] | undefined {
	if (!text.trimStart().startsWith('[')) return undefined;
	try {
		const quoted = text.replace(TEXT_OR_NUMBER, (token, quote?: string) => quote ?? `"${token}"`);
		return JSON.parse(quoted) as unknown[];
	} catch {
		return undefined;
	}
}

/**
 * A comma that separates parts. If a digit precedes it, neither a zero may follow nor an exponent: spreadsheets export `1001,0`,
 * `13,045` and `1,2E+04`. Unsplit, they are refused; split, they would also read site 0, 13 or 1.
 */
const COMMA = /(?<!\d),|,(?!0|\d+E[-+]?\d)/i;

/** A number whose commas may be those of thousands. */
const GROUPED = /^\d{1,3}(?:,\d{3})+$/;

/** Splits a text into lines and further, but keeps a part whole that is a known name, or a line of 'Known Sites'. */
function splitText(text: string, known: KnownSites): string[] {
	const isLine = (part: string) => findByLine(part, known) !== undefined;
	const isWhole = (part: string) => known.find(part).length > 0 || isLine(part);
	const parts = text
		.split('\n')
		.flatMap((line) => (isLine(line) ? [line] : line.split(/[;\t]/)))
		.filter((part) => !isBlank(part));
	// Alone, `7,100` is two IDs.
	const mayBeGrouped = /\S[\s;]+\S/.test(text);
	return parts.flatMap((part) => {
		if (isWhole(part)) return [part];
		const grouped = mayBeGrouped ? splitGrouped(part) : undefined;
		return grouped ?? part.split(COMMA).flatMap(splitIds);
	});
}

/** Splits numbers at the spaces between them, if one may have a thousands separator: `36,548 45,165`. Such a number is refused. */
function splitGrouped(text: string): string[] | undefined {
	const words = text.trim().split(/\s*,?\s+/);
	const areNumbers = words.every((word) => /^[\d,]+$/.test(word));
	return areNumbers && words.some((word) => GROUPED.test(word)) ? words : undefined;
}

/** Splits IDs at the spaces between them. `7 100` stays one part: it may be a number with a thousands separator. */
function splitIds(text: string): string[] {
	if (!/^[\d\s]+$/.test(text)) return [text];
	return text.match(/\d{1,3}(?:\s\d{3})+(?!\S)|\S+/g) ?? [];
}
