import type { SiteRef } from '../service/site';
import {
	CELL_BREAK,
	cleanText,
	isQuoted,
	QUOTES,
	splitCells,
	splitLine,
	unquote,
} from './siteText';

/* Reads the lines of 'Known Sites', each by itself. The table in `siteText.ts` has examples. */

/** A line that is not blank and has no headings. */
export interface Line {
	/** Counted from 1. */
	line: number;
	text: string;
	/** Undefined without one clear ID at its beginning. */
	site?: SiteRef;
	/** What follows the ID: the cells of a table, or one text. */
	cells: string[];
	/** Whether the name is in quotation marks, so that any number in it belongs to it. */
	isNameQuoted: boolean;
}

/** Reads the field 'Known Sites'. */
export function readLines(input: string): Line[] {
	return splitLines(input).map(({ line, text }) => ({
		line,
		text: text.replaceAll(CELL_BREAK, ' ').trim(),
		...parseLine(text.replace(/^[^\S\t]+/, '')),
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

/** The beginning of a line whose number may not be an ID. */
const AMBIGUOUS = [
	/^\d{1,3}[^\S\t]\d{3}(?!\d)/, // `1 001 Storvågen`: 1001, or 1 before a name with a number. After a tab, that is the name.
	/^[\d.]+,\d+(?![\p{L}\p{Pd}\d])/u, // `1001,0` and `12,5 X`, but not `1001,17-3`: a decimal comma.
	/^[\d.]+,\d+E[-+]?\d/i, // `1,2E+04 X`.
	/^\d+:\d/, // `10:30 X`: a time.
	/^[\d.]+[\s;,:|\p{Pd}]+(?:total|sum\b)/iu, // `12480 Total`.
];

/** A quotation mark without its partner, which may be in another line. */
const LONE_QUOTE = [
	new RegExp(`^[${QUOTES}][^${QUOTES}]*$`), // `"Storvågen`.
	new RegExp(`^[^${QUOTES}]*["“”„«»]$`), // `Storvågen”`, but not `Farmers'`: the apostrophe may belong to the name.
];

const matches = (text: string, patterns: readonly RegExp[]) =>
	patterns.some((pattern) => pattern.test(text));

function parseLine(line: string): Pick<Line, 'site' | 'cells' | 'isNameQuoted'> {
	const unusable = { cells: [], isNameQuoted: false };
	const { siteId, separator = '', rest = '' } = splitLine(line) ?? {};
	if (siteId === undefined || matches(line, AMBIGUOUS)) return unusable;
	// After a tab, a number is a name.
	if (hasOnlyNumbers(rest) && !separator.includes('\t')) return unusable;
	const cells = splitCells(rest, separator);
	const siteName = unquote(cells[0] ?? '') || null;
	if (matches(siteName ?? '', LONE_QUOTE)) return unusable;
	// In any other line, a separator may stand before another site: `1001 A; 1002 B`.
	const isTable = /[\t;|]|^,$/.test(separator);
	const [name = '', ...others] = isTable ? cells : [rest];
	return {
		site: { siteId, siteName },
		cells: [name, ...others].map(unquote),
		// Where a program has quoted all cells, or a line break, quotes do not tell numbers from names.
		isNameQuoted: !line.startsWith('"') && !name.includes(CELL_BREAK) && isQuoted(name),
	};
}

/** Returns whether there are only numbers after an ID, so that the line names several sites. */
function hasOnlyNumbers(rest: string): boolean {
	const words = rest.split(/[\s,;:|"]+/);
	return /\d/.test(rest) && words.every((word) => /^(?:-?\d+|[^\p{L}\d]*)$/u.test(word));
}
