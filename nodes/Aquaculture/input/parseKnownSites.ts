import type { SiteRef } from '../service/site';
import { checkSiteId, toPlainDigits } from './siteId';
import { checkRawText, stripInvisible } from './values';

/** A line of 'Known Sites', counted from 1. */
interface KnownSitesLine {
	line: number;
	text: string;
}

export interface ParsedKnownSites {
	/** By ID. */
	sites: ReadonlyMap<number, SiteRef>;
	/** The lines that add no site: without one clear ID, or with that of another line and another name. */
	unusableLines: readonly KnownSitesLine[];
}

/**
 * Parses the field 'Known Sites' of a credential. Each line names a site, its ID first. A separator may follow (a comma,
 * semicolon, colon, bar, or a dash between spaces), then a name up to a tab or semicolon, without the quotes around it. Skips
 * blank lines, and a first line of headings.
 *
 * (`siteReferences.ts` splits the list in a field of a node.)
 */
export function parseKnownSites(input: unknown): ParsedKnownSites {
	const sites = new Map<number, SiteRef>();
	const unusableLines: KnownSitesLine[] = [];
	for (const line of splitLines(input)) {
		const site = parseLine(line.text);
		const same = site && sites.get(site.siteId);
		if (!site || (same && same.siteName !== site.siteName)) unusableLines.push(line);
		else sites.set(site.siteId, site);
	}
	return { sites, unusableLines };
}

/** Splits the field into lines, without blank ones and without headings. */
function splitLines(input: unknown): KnownSitesLine[] {
	const lines = stripInvisible(checkRawText(input).value ?? '')
		.split(/\r\n|[\n\r\u2028\u2029]/)
		.map((text, index) => ({ line: index + 1, text: text.trim() }))
		.filter(({ text }) => text !== '');
	const [first, ...others] = lines;
	return first && others.length > 0 && hasHeadings(first.text) ? others : lines;
}

/** The words of the usual headings: `Site ID`, `siteName`, `Lokalitetsnr.`. */
const HEADING =
	/^(?:(?:sites?|farms?|locations?|lokalitets?|anleggs?|ids?|no|nr|number|nummer|names?|navn|codes?|kode)[ ._-]*)+$/i;

/** A line with a digit is a site, whatever its words are; so is one without a usual heading, whose ID somebody has forgotten. */
function hasHeadings(line: string): boolean {
	const cells = line.split(/[\t;,|]/).map((cell) => stripQuotes(cell.trim()));
	return !/\d/.test(line) && cells.some((cell) => HEADING.test(cell));
}

const LINE = /^([^\s,;:|]+)\s*(?:[,;:|]|[\p{Pd}\u2212](?=\s))?(.*)$/u;

/** Splits a line into an ID and the rest, which begins with a name. Returns undefined for one that does not begin with an ID. */
export function splitLine(line: string): { siteId: number; rest: string } | undefined {
	const [, id, rest = ''] = LINE.exec(line) ?? [];
	const { value: siteId } = checkSiteId(id);
	return siteId === undefined ? undefined : { siteId, rest };
}

/** Such as `1001, 1002, 1003`, or an ID with a number for a name. After a tab, a number is a name. */
const NUMBERS_ONLY = /^-?\d+(?:[ ,;:|]+-?\d+)+[ ,;:|]*$/;

/**
 * `1 001 Storvågen` may be site 1001, or site 1 with the name "001 Storvågen". After a tab, it is a name. `1001,0` may be site
 * 1001 with a decimal, or with the name "0".
 */
const AMBIGUOUS = /^-?(?:\d{1,3}(?:[^\S\t]|,)\d{3}(?!\d)|\d+,0+(?![\p{L}\d]))/u;

function parseLine(line: string): SiteRef | undefined {
	const split = splitLine(line);
	const plain = toPlainDigits(line);
	if (!split || NUMBERS_ONLY.test(plain) || AMBIGUOUS.test(plain)) return undefined;
	const [name = ''] = split.rest.split(/[\t;]/, 1);
	return { siteId: split.siteId, siteName: stripQuotes(name.trim()) || null };
}

/** Drops a pair of quotes, but not those of `"A" and "B"`. */
function stripQuotes(name: string): string {
	return /^["'“”„‘’‚«»]([^"“”„«»]+)["'“”‘’«»]$/.exec(name)?.[1]?.trim() ?? name;
}
