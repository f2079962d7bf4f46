import type { SiteRef } from '../service/site';
import { cleanText, firstCell, isCell, split, splitLine, unquote } from './siteText';

/* Reads the lines of 'Known Sites'. The table in `siteText.ts` has examples. */

/** A line that is not blank and has no headings. */
export interface Line {
	/** Counted from 1. */
	line: number;
	text: string;
	/** Undefined if the line is not an ID and a name. */
	site?: SiteRef;
	isNameQuoted?: boolean;
}

/** Reads the field 'Known Sites'. */
export function readLines(input: string): Line[] {
	const lines = splitLines(input).map(({ line, text }) => ({
		line,
		text: text.replaceAll('\n', ' ').trim(),
		...parseLine(text),
	}));
	return withoutTotals(lines);
}

/** Splits the field into lines, without blank ones and without headings. */
function splitLines(input: string): Line[] {
	let nextLine = 1;
	const all = split(cleanText(input), '\n')
		.map((text) => {
			const line = nextLine;
			nextLine += text.split('\n').length;
			return { line, text: text.trimEnd() };
		})
		.filter(({ text }) => text !== '');
	// A tab says that the cell of the ID is empty, as in a row of totals. If all lines begin with one, it indents them.
	const indent = all.every(({ text }) => /^\s*\t/.test(text)) ? /^\s+/ : /^[^\S\t]+/;
	const lines = all.map(({ line, text }) => ({ line, text: text.replace(indent, '') }));
	const areFirstHeadings = lines.length > 1 && hasHeadings(lines[0]?.text ?? '');
	return areFirstHeadings ? lines.slice(1) : lines;
}

/** The words of the usual headings: `Site ID`, `siteName`, `Lokalitetsnr.`, `LOK_NR`. */
const HEADING =
	/^(?:(?:sites?|farms?|loc|locations?|locality|lok|lokalitets?|anleggs?|ids?|no|nr|number|nummer|names?|navn|namn|codes?|kode)[ ._-]*)+$/i;

/** A line with a digit is a site, whatever its words are; so is one without a usual heading, whose ID somebody has forgotten. */
function hasHeadings(line: string): boolean {
	const cells = split(line, '[\t;,|]').map((cell) => unquote(cell.trim()));
	return !/\d/.test(line) && cells.some((cell) => HEADING.test(cell));
}

/** `12480 Total`. */
const TOTAL = /^(?:total\w?|sum)\b/i;

function parseLine(line: string): Pick<Line, 'site' | 'isNameQuoted'> {
	const { siteId, separator = '', rest = '' } = splitLine(line) ?? {};
	if (siteId === undefined) return {};
	const cell = firstCell(rest, separator);
	const name = unquote(cell);
	const isNameQuoted = isCell(cell);
	// Quotes around a line break may belong to the names of two sites.
	const isOneName = (isNameQuoted || /[\t;|]/.test(separator)) && !cell.includes('\n');
	// After the number of a row, the name may begin with the ID: `1;1001 Vik`.
	const mayHaveId = isOneName ? name.replace(/(?<=\p{L}).*/u, '') : name;
	const hasNoLetter = name !== '' && !/\p{L}/u.test(name);
	const isTotal = TOTAL.test(name) && !isNameQuoted;
	if (hasNoLetter || isTotal || hasOtherId(mayHaveId, siteId)) return {};
	return { site: { siteId, siteName: name || null }, isNameQuoted };
}

/** A number that stands alone, unlike those of `F100`, `17-3` and `28.11.2026`. */
const NUMBER = /(?<![\p{L}\d\p{Pd}]|\d\.)\d+(?![\p{L}\d\p{Pd}]|\.\d)/gu;

/** Returns whether another number has at least as many digits as the ID: `1001 Vik 1002`, but not `1001 Merd 2`. */
function hasOtherId(text: string, siteId: number): boolean {
	const others = (text.match(NUMBER) ?? []).filter((number) => number !== String(siteId));
	return others.some(({ length }) => length >= countDigits(siteId));
}

const countDigits = (siteId: number) => String(siteId).length;

/**
 * Takes the site from a first or last line that is a total. At least two of three signs must speak for it:
 *
 * | Line                               | It counts the others | Its ID has other digits | Only the next line has a name |
 * | ---------------------------------- | -------------------- | ----------------------- | ----------------------------- |
 * | `58` below 58 lines as `1001 Vik`  | yes                  | yes                     | yes                           |
 * | `60 sites` below these             | no                   | yes                     | yes: a name has a capital     |
 * | `58 Treff` below these             | yes                  | yes                     | no                            |
 * | `2 sites` below `3 Vik`, `4 Nord`  | yes                  | no                      | yes                           |
 */
function withoutTotals(lines: Line[]): Line[] {
	const sites = lines.filter(({ site }) => site);
	const totals = [sites, sites.toReversed()].flatMap(([end, next]) => {
		if (!end?.site || !next?.site || end.isNameQuoted) return [];
		const { siteId } = end.site;
		const signs = [
			// Lines that are not sites may count or not.
			siteId >= sites.length - 1 && siteId <= lines.length - 1,
			countDigits(siteId) !== countDigits(next.site.siteId),
			!hasCapital(end.site) && hasCapital(next.site),
		];
		return signs.filter(Boolean).length > 1 ? [end] : [];
	});
	return lines.map((each) => (totals.includes(each) ? { line: each.line, text: each.text } : each));
}

const hasCapital = ({ siteName }: SiteRef) => /^[^\p{Ll}]/u.test(siteName ?? '');
