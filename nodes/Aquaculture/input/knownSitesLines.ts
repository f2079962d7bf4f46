import type { SiteRef } from '../service/site';
import { CELL_BREAK, cleanText, firstCell, splitLine, unquote } from './siteText';

/* Reads the lines of 'Known Sites'. `siteText.ts` says how they may be written. */

/** A line that is not blank and has no headings. */
export interface Line {
	/** Counted from 1. */
	line: number;
	text: string;
	/** Undefined without one clear ID at its beginning. */
	site?: SiteRef;
	/** What follows the ID, in a table by cell, with a quotation mark for each quoted part. */
	cells: string[];
}

/** Reads the field 'Known Sites'. */
export function readLines(input: string): Line[] {
	return splitLines(input).map(({ line, text }) => ({
		line,
		text: text.replaceAll(CELL_BREAK, ' ').trim(),
		...parseLine(text),
	}));
}

/** Splits the field into lines, without blank ones and without headings. */
function splitLines(input: string): Array<{ line: number; text: string }> {
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

/** A line that begins with a number, but perhaps not with that of an ID. */
const AMBIGUOUS = [
	/^\d{1,3}[^\S\t]\d{3}(?!\d)/, // `1 001 Storvågen`: 1001, or 1 before a name with a number. After a tab, that is the name.
	/^[\d.]+,\d+(?![\p{L}\p{Pd}\d])/u, // `1001,0` and `12,5 X`, but not `1001,17-3`: a decimal comma.
	/^[\d.]+,\d+E[-+]?\d/i, // `1,2E+04 X`.
	/^\d+:\d/, // `10:30 X`: a time.
];

/** A quotation mark without its partner, which may be in another line. */
const LONE_QUOTE = [
	/^["'“”„‘’‚«»][^"'“”„‘’‚«»]*$/, // `"Storvågen`.
	/^[^"'“”„‘’‚«»]*["“”„«»]$/, // `Storvågen”`, but not `Farmers'`: the apostrophe may belong to the name.
];

const matches = (text: string, patterns: readonly RegExp[]) =>
	patterns.some((pattern) => pattern.test(text));

function parseLine(untrimmed: string): Pick<Line, 'site' | 'cells'> {
	const line = untrimmed.replace(/^[^\S\t]+/, '');
	const { siteId, separator = '', rest = '' } = splitLine(line) ?? {};
	if (siteId === undefined || matches(line, AMBIGUOUS)) return { cells: [] };
	// Where a program has quoted all cells, quotes do not tell numbers from names.
	const isQuoted = line.startsWith('"');
	const text = isQuoted ? rest.replaceAll('"', '') : rest;
	// After a tab, a number is a name.
	const isNumberName = separator.includes('\t') && !isQuoted;
	if (hasOnlyNumbers(text) && !isNumberName) return { cells: [] };
	// A comma may be part of a name: "Vik, Nord".
	const cellEnd = separator === ',' ? /[\t;|]|,(?!\s)/ : /[\t;|]/;
	const siteName = firstCell(rest, cellEnd) || null;
	if (matches(siteName ?? '', LONE_QUOTE)) return { cells: [] };
	const isTable = /[\t;|]|^,$/.test(separator);
	const marked = isQuoted ? text : markQuoted(text);
	const cells = isTable ? marked.split(cellEnd).map((cell) => cell.trim()) : [marked];
	return { site: { siteId, siteName }, cells };
}

/** Returns whether there are only numbers after an ID, so that the line names several sites. */
function hasOnlyNumbers(rest: string): boolean {
	const words = rest.split(/[\s,;:|]+/);
	return /\d/.test(rest) && words.every((word) => /^(?:-?\d+|[^\p{L}\d]*)$/u.test(word));
}

/** Puts a quotation mark in place of each quoted part, unless it has a line break. */
function markQuoted(rest: string): string {
	return (
		rest
			// Only around the whole name: within it, such a mark is an apostrophe.
			.replace(/^['‘’‚][^'‘’‚\v]*['‘’]$/, '"')
			.replace(/["“„«»][^"“”„«»\v]*["“”«»]/g, '"')
	);
}
