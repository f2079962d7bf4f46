import { INVALID_SITE, INVALID_VALUE, type Invalid } from '../messages/invalid';
import type { SiteRef } from '../service/site';
import type { KnownSites } from './knownSites';
import { splitLine } from './parseKnownSites';
import { checkSiteId, looksLikeNumber, toPlainDigits } from './siteId';
import { isEmpty, stripInvisible, trimIfText } from './values';
import type { Result } from '../utils/result';

/*
 * Finds the sites that the value of a field names.
 *
 * One site: its ID, the name of a known site, its label in n8n's lists, `Storvågen (1001)`, or its line in 'Known Sites',
 * `1001 Storvågen`. 'By Name' looks for a name before an ID.
 *
 * Several: an array, which may be written as JSON, or a text with line breaks, semicolons, tabs or commas between its parts.
 * Each element or part names one site. IDs may have spaces between them.
 */

/** What a person, an item or an agent enters for one site. */
export interface EnteredSite {
	input: string | number;
	/** How the field takes it: 'list', 'id' or 'name'. */
	mode: string;
}

export function findSite(
	{ input, mode }: EnteredSite,
	sites: KnownSites,
): Result<SiteRef, Invalid> {
	const found = lookUp(input, sites, mode === 'name');
	if (found.value) return found;
	const several = findSites(input, sites).value ?? [];
	return several.length > 1 ? { failure: INVALID_SITE.severalSites(input) } : found;
}

/** Finds the sites of a list, in its order, repetitions included. Stops at the first part that names no site. */
export function findSites(input: unknown, sites: KnownSites): Result<SiteRef[], Invalid> {
	const found: SiteRef[] = [];
	for (const site of findEachSite(input, sites)) {
		if (site.failure) return site;
		found.push(site.value);
	}
	return { value: found };
}

/** Finds the site of each part of a list, or says why the part cannot be used. */
export function* findEachSite(
	input: unknown,
	sites: KnownSites,
): Generator<Result<SiteRef, Invalid>> {
	let isNothing = true;
	for (const part of splitList(input, sites)) {
		if (isEmpty(part)) continue;
		isNothing = false;
		yield lookUp(part, sites, false);
	}
	if (!isNothing) return;
	// Without known sites, the list in the panel offers nothing but an empty value.
	yield sites.isEmpty && Array.isArray(input)
		? { failure: INVALID_SITE.noKnownSites() }
		: { failure: INVALID_VALUE.empty() };
}

/** @param byName whether to look for a name before an ID. */
function lookUp(input: unknown, sites: KnownSites, byName: boolean): Result<SiteRef, Invalid> {
	const id = checkSiteId(input);
	if (id.value !== undefined && !byName) return { value: sites.byId(id.value) };
	if (id.failure && typeof input !== 'string') return id;

	const text = String(trimIfText(input));
	const siteIds = sites.find(text);
	if (siteIds.length > 1) return { failure: INVALID_SITE.sharedName(text, siteIds) };
	const [siteId] = siteIds;
	if (siteId !== undefined) return { value: sites.byId(siteId) };
	const byLine = findByLine(text, sites);
	if (byLine) return { value: byLine };
	if (id.value !== undefined) return { value: sites.byId(id.value) };
	// Why it is not an ID helps more than that no site has this name.
	if (id.failure && looksLikeNumber(text)) return id;
	return { failure: INVALID_SITE.unknownName(text) };
}

/** Finds the site of a line as in 'Known Sites': its ID, then its name. Returns undefined for any other text. */
function findByLine(text: string, sites: KnownSites): SiteRef | undefined {
	const { siteId, rest: name } = splitLine(text.trim()) ?? { rest: '' };
	if (siteId === undefined || looksLikeNumber(name.trim())) return undefined;
	return sites.find(name).includes(siteId) ? sites.byId(siteId) : undefined;
}

/** Splits a list into parts that name one site each. Some may be empty. */
function splitList(input: unknown, sites: KnownSites): unknown[] {
	const list = typeof input === 'string' ? parseJsonList(stripInvisible(input)) : input;
	if (Array.isArray(list)) return list;
	return typeof input === 'string' ? splitText(stripInvisible(input), sites) : [input];
}

/** Language models write lists as JSON. */
function parseJsonList(input: string): unknown {
	try {
		return input.trimStart().startsWith('[') ? JSON.parse(input) : undefined;
	} catch {
		return undefined;
	}
}

const LINE_BREAK = /[\n\r\u2028\u2029]/;

/** No name contains one of these. */
const SEPARATOR = /[;\t]/;

/**
 * Matches the comma of `1001,1002`, but not that of `1001,0`, which may be site 1001 as a spreadsheet exports it: unsplit, it is
 * refused; split, it would also read site 0.
 */
const COMMA = /(?!(?<=\d),0+\s*(?:,|$)),/;

/**
 * Splits a text at its separators, from line breaks to commas, but keeps a part whole that is a known name, or a line of
 * 'Known Sites'.
 */
function splitText(text: string, sites: KnownSites): string[] {
	const isName = (part: string) => sites.find(part).length > 0;
	const isLine = (part: string) => findByLine(part, sites) !== undefined;
	const splitPart = (part: string) =>
		isName(part) || isLine(part) ? [part] : part.split(COMMA).flatMap(splitIds);
	return text
		.split(LINE_BREAK)
		.flatMap((line) => (isLine(line) ? [line] : line.split(SEPARATOR).flatMap(splitPart)));
}

/** Splits IDs at the spaces between them. `7 100` stays one part: it may be a number with a thousands separator. */
function splitIds(text: string): string[] {
	const ids = toPlainDigits(text);
	if (!/^[-\d\s]+$/.test(ids)) return [text];
	return ids.match(/-?\d{1,3}(?:\s\d{3})+(?!\S)|\S+/g) ?? [];
}
