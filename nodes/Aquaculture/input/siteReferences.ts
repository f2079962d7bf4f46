import { INVALID_SITE, INVALID_VALUE, type Invalid } from '../messages/invalid';
import type { SiteRef } from '../service/site';
import {
	checkSiteId,
	isEmpty,
	isNumber,
	trimIfText,
	toPlainDigits,
	stripInvisible,
} from './values';
import type { KnownSites } from './knownSites';
import type { Result } from '../utils/result';

/*
 * Finds the sites that the value of a field names.
 *
 * One site: its ID, the name of a known site, its label in n8n's lists, `Storvågen (1001)`, or its line in 'Known Sites',
 * `1001 Storvågen`. 'By Name' accepts known sites only, and looks for a name before an ID. A tool also accepts any ID there.
 *
 * Several: an array, which may be written as JSON, or a text with line breaks, semicolons, tabs or commas between its parts.
 * Each element or part names one site. IDs may have spaces between them.
 */

/** What a person, an item or an agent enters for one site. */
export interface SiteReference {
	input: string | number;
	/** How the field takes it: 'list', 'id' or 'name'. */
	mode: string;
}

/** Refuse longer texts without looking them up: 3 million characters took 0.7 s. */
const MAX_CHARACTERS = 1000;

export function findSite(
	{ input, mode }: SiteReference,
	sites: KnownSites,
	isTool: boolean,
): Result<SiteRef, Invalid> {
	const found = lookUp(input, sites, { byName: mode === 'name', isTool });
	if (found.value || isTooLong(input)) return found;
	const several = findSites(input, sites, isTool).value ?? [];
	return several.length > 1 ? { failure: INVALID_SITE.severalSites(input) } : found;
}

/** Finds the sites of a list, in its order, repetitions included. Stops at the first part that names no site. */
export function findSites(
	input: unknown,
	sites: KnownSites,
	isTool: boolean,
): Result<SiteRef[], Invalid> {
	const found: SiteRef[] = [];
	for (const site of findEachSite(input, sites, isTool)) {
		if (site.failure) return site;
		found.push(site.value);
	}
	return { value: found };
}

/** Finds the site of each part of a list, or says why the part cannot be used. */
export function* findEachSite(
	input: unknown,
	sites: KnownSites,
	isTool: boolean,
): Generator<Result<SiteRef, Invalid>> {
	let isNothing = true;
	for (const part of splitList(input, sites)) {
		if (isEmpty(part)) continue;
		isNothing = false;
		yield lookUp(part, sites, { byName: false, isTool });
	}
	if (!isNothing) return;
	// Without known sites, the list in the panel offers nothing but an empty value.
	yield sites.isEmpty && Array.isArray(input)
		? { failure: INVALID_SITE.noKnownSites() }
		: { failure: INVALID_VALUE.empty() };
}

/**
 * @param byName whether the field takes known sites only.
 * @param isTool whether an AI agent fills the field.
 */
function lookUp(
	input: unknown,
	sites: KnownSites,
	{ byName, isTool }: { byName: boolean; isTool: boolean },
): Result<SiteRef, Invalid> {
	if (isTooLong(input)) return { failure: INVALID_SITE.tooLong(input) };
	const id = checkSiteId(input);
	if (id.value !== undefined && !byName) return { value: sites.byId(id.value) };
	if (id.failure && typeof input !== 'string') return id;

	const text = String(trimIfText(input));
	const siteIds = sites.find(text);
	if (siteIds.length > 1) return { failure: INVALID_SITE.sharedName(text, siteIds) };
	const [siteId] = siteIds;
	if (siteId !== undefined) return { value: sites.byId(siteId) };
	const byLine = findByLine(text, sites);
	if (byLine) return byLine;
	if (id.value !== undefined && (isTool || sites.has(id.value))) {
		return { value: sites.byId(id.value) };
	}
	// Why it is not an ID helps more than that no site has this name.
	if (id.failure && isNumber(text)) return id;
	return { failure: INVALID_SITE.unknownName(text, byName) };
}

/** With any separator that 'Known Sites' allows. */
const ID_AND_NAME = /^([^\s,;:|]+)[\s,;:|]+(?:[\p{Pd}\u2212]\s+)?(.+)$/u;

/** Finds the site of a line as in 'Known Sites', an ID and a name. Returns nothing for a text that is no such line. */
function findByLine(text: string, sites: KnownSites): Result<SiteRef, Invalid> | undefined {
	const [, id, name = ''] = ID_AND_NAME.exec(text.trim()) ?? [];
	const { value: siteId } = checkSiteId(id);
	if (siteId === undefined || isNumber(name)) return undefined;
	const siteIds = sites.find(name);
	if (siteIds.includes(siteId)) return { value: sites.byId(siteId) };
	const isLine = /\p{L}/u.test(name) && (siteIds.length > 0 || sites.has(siteId));
	return isLine ? { failure: INVALID_SITE.notOneSite(text) } : undefined;
}

function isTooLong(input: unknown): boolean {
	return typeof input === 'string' && input.length > MAX_CHARACTERS;
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
 * Does not match the comma of `1001,0`, which may be site 1001 as a spreadsheet exports it: one part is refused, two would read
 * site 0.
 */
const COMMA = /(?!(?<=\d),0+(?:,|$)),/;

/** Splits a text at its separators, from line breaks to commas, but keeps a known name and a line of 'Known Sites' whole. */
function splitText(text: string, sites: KnownSites): string[] {
	const isName = (part: string) => !isTooLong(part) && sites.find(part).length > 0;
	const isLine = (part: string) => !isTooLong(part) && findByLine(part, sites)?.value !== undefined;
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
	return ids.match(/(?<!\S)-?\d{1,3}(?:\s\d{3})+(?!\S)|\S+/g) ?? [];
}
