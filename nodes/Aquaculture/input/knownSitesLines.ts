import type { SiteRef } from '../service/site';
import { CELL_BREAK, cleanText, firstCell, isCell, splitLine, unquote } from './siteText';

/* Reads the lines of 'Known Sites'. The table in `siteText.ts` has examples. */

/** A line that is not blank and has no headings. */
export interface Line {
	/** Counted from 1. */
	line: number;
	text: string;
	/** Undefined if the line is not an ID and a name. */
	site?: SiteRef;
	/** Whether quotation marks say that any number in the name belongs to it. */
	isNameTrusted?: boolean;
}

/** Reads the field 'Known Sites'. */
export function readLines(input: string): Line[] {
	const lines = splitLines(input).map(({ line, text }) => ({
		line,
		text: text.replaceAll(CELL_BREAK, ' ').trim(),
		...parseLine(text.replace(/^[^\S\t]+/, '')),
	}));
	return withoutTotals(lines);
}

/** Splits the field into lines, without blank ones and without headings. */
function splitLines(input: string): Line[] {
	let line = 1;
	const all = cleanText(input)
		.split('\n')
		.map((text) => {
			const start = line;
			line += text.split(CELL_BREAK).length;
			return { line: start, text: text.trimEnd() };
		})
		.filter(({ text }) => text !== '');
	// A tab says that the cell of the ID is empty, as in a row of totals. If all lines begin with one, it indents them.
	const areIndented = all.every(({ text }) => /^\s*\t/.test(text));
	const lines = areIndented ? all.map((each) => ({ ...each, text: each.text.trim() })) : all;
	const [first, ...others] = lines;
	return first && others.length > 0 && hasHeadings(first.text) ? others : lines;
}

/** The words of the usual headings: `Site ID`, `siteName`, `Lokalitetsnr.`, `LOK_NR`. */
const HEADING =
	/^(?:(?:sites?|farms?|loc|locations?|locality|lok|lokalitets?|anleggs?|ids?|no|nr|number|nummer|names?|navn|namn|codes?|kode)[ ._-]*)+$/i;

/** A line with a digit is a site, whatever its words are; so is one without a usual heading, whose ID somebody has forgotten. */
function hasHeadings(line: string): boolean {
	const cells = line.split(/[\t;,|]/).map((cell) => unquote(cell.trim()));
	return !/\d/.test(line) && cells.some((cell) => HEADING.test(cell));
}

function parseLine(line: string): Pick<Line, 'site' | 'isNameTrusted'> {
	const { siteId, separator = '', rest = '' } = splitLine(line) ?? {};
	if (siteId === undefined) return {};
	const cell = firstCell(rest, separator);
	const name = unquote(cell);
	// Where a program has quoted all cells, or a line break, quotes do not tell numbers from names.
	const isNameTrusted = isCell(cell) && !line.startsWith('"') && !cell.includes(CELL_BREAK);
	const isUnclear = TOTAL.test(name) || hasLoneQuote(name) || hasOtherId(name, siteId);
	if (isUnclear && !isNameTrusted) return {};
	return { site: { siteId, siteName: name || null }, isNameTrusted };
}

/** `12480 Total`. */
const TOTAL = /^(?:total\w?|sum)\b/i;

/** The apostrophes of `St John's`, `Farmers'` and `'t Hoff`. */
const APOSTROPHES = /(?<=\p{L})['’](?=\p{L})|(?<=s)['’](?!\S)|(?<!\S)['’](?=\p{Ll}(?!\p{L}))/gu;

/** Returns whether a quotation mark has no partner, which may be in another line: `“Storvågen`, `Storvågen”`. */
function hasLoneQuote(name: string): boolean {
	const marks = name.replace(APOSTROPHES, '').match(/["'“”„‘’‚«»]/g) ?? [];
	return marks.length % 2 === 1;
}

/** A number that is not part of a word, such as `17-3`, `F100` or `28.11.2026`. */
const NUMBER = /(?<![\p{L}\p{M}\p{N}.'’]|\S\p{Pd})\d+(?![\p{L}\p{M}\p{N}\p{Pd}'’]|\.\d)/gu;
/** `Merd 2`, but not `og 8` or `Vik, 8`. */
const NUMBERED_NAME = /(?<![\p{L}\p{M}])\p{Lu}[\p{L}\p{M}]*\s\d{1,2}$/u;

/** Returns whether a number in a name may be an ID: it has at least as many digits, or the name has no letters. */
function hasOtherId(name: string, siteId: number): boolean {
	const id = String(siteId);
	const minDigits = /\p{L}/u.test(name) ? id.length : 1;
	const numbers = name.replace(NUMBERED_NAME, '').match(NUMBER) ?? [];
	return numbers.some((number) => number.length >= minDigits && number !== id);
}

/**
 * Takes the site from a first or last line that is a total, such as `58 sites`. Two of three signs must speak for it: its number is
 * that of the other lines, has more or fewer digits than the ID next to it, or has no name although the ID next to it has one.
 */
function withoutTotals(lines: Line[]): Line[] {
	const sites = lines.filter(({ site }) => site);
	const totals = [sites, sites.toReversed()].flatMap(([end, neighbour]) => {
		if (!end?.site || !neighbour || end.isNameTrusted) return [];
		const { siteId } = end.site;
		const signs = [
			// Lines that are not sites may count or not.
			siteId >= sites.length - 1 && siteId <= lines.length - 1,
			countDigits(end) !== countDigits(neighbour),
			!hasName(end) && hasName(neighbour),
		];
		return signs.filter(Boolean).length > 1 ? [end] : [];
	});
	return lines.map((each) => (totals.includes(each) ? { line: each.line, text: each.text } : each));
}

const countDigits = ({ site }: Line) => String(site?.siteId).length;

/** Returns whether a name follows the ID, unlike in `58` and `58 sites`. */
const hasName = ({ site }: Line) => /^[^\p{Ll}]/u.test(site?.siteName ?? '');
