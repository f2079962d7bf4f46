import { INVALID_VALUE, type Invalid } from '../messages/invalid';
import type { Result } from '../messages/failure';
import { isBlank, stripInvisible } from './values';

/*
 * How people write sites in 'Known Sites' and in the fields of a node: an ID, a separator and a name. Anything else is refused,
 * because no text may silently become another site.
 *
 * | Part           | Accepted                                              | Refused                                           |
 * | -------------- | ----------------------------------------------------- | ------------------------------------------------- |
 * | Site ID        | `1001`, `1001.0` (of pandas), `"1001"`, full-width    | `007`, `-7`, `1 001`, `13.000`, `1001,0`, `1E3`,  |
 * |                | digits                                                | `'1001`, `="1001"`                                |
 * | Line           | An ID, a separator and a name: `1001 Storvågen`       | `Storvågen 1001`, `- 1001 X`, `12,5 X`            |
 * | Separator      | A space, a tab, one of `,;:|`, a dash between spaces  | `1001-Storvågen`, `1001. Storvågen`, `10:30 X`    |
 * | Name           | Without the quotes around it. In a table, up to the   | `“Storvågen`, `Storvågen”`                        |
 * |                | next cell: `1001;Storvågen;780`                       |                                                   |
 * | Number in name | `1001 Vik 200`, `7 Merd 2`, `1001 17-300`,            | `1001 1002`, `1001 og 1002`, `1001 Vik 1002`,     |
 * |                | `1001 "Vik 1002"`                                     | `1 001 Vik`, `1;1001;Vik` (a row's number)        |
 * | Line break     | Any of Unicode's. In a cell in `"` it is a space      |                                                   |
 * | Total          | `58 "Treff"`                                          | `58`, `58 Treff`, `60 sites`, `12480 Total`       |
 * | List           | Lines, then parts between tabs and `;`, then between  | `7 100`, `36,548 45,165`, `1001 -1003`            |
 * |                | commas, then IDs between spaces. `["1001", 1002]`     |                                                   |
 *
 * `knownSitesLines.ts` reads lines, `siteReferences.ts` reads lists.
 */

/** A cell that a spreadsheet puts in quotes, because it contains a line break, a tab or quotes, which are doubled. */
const CELL = '"(?:[^"]|"")*"';
const CELLS = new RegExp(String.raw`(?<=^|[\s;,|:])${CELL}(?=$|[\s;,|:])`, 'gm');
const FIRST_CELL = new RegExp(String.raw`^${CELL}(?=\s*(?:$|[\t;,|]))`);
const ONE_CELL = new RegExp(`^${CELL}$`);

/** A line break within a cell, in a clean text. */
export const CELL_BREAK = '\v';

/** Removes what people cannot see or do not mean: invisible characters, kinds of line breaks, full-width digits. */
export function cleanText(text: string): string {
	return stripInvisible(text)
		.replace(/[\uff10-\uff19]/g, (digit) => digit.normalize('NFKC'))
		.replace(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, '\n')
		.replace(CELLS, (cell) => cell.replaceAll('\t', ' ').replace(/ ?\n ?/g, CELL_BREAK));
}

/** Returns whether a text is one cell in quotes: not `"A" and "B"`. */
export function isCell(text: string): boolean {
	return ONE_CELL.test(text);
}

/** Drops quotes of any kind around a text, but not those of `“A” and “B”`. Doubled quotes within a cell are one. */
export function unquote(text: string): string {
	const inner = isCell(text)
		? text.slice(1, -1).replaceAll('""', '"')
		: text.replace(/^["'“”„‘’‚«»]([^"“”„«»]+)["'“”‘’«»]$/, '$1');
	return inner.replace(/\v+/g, ' ').trim();
}

/** More decimals than two may be a thousands separator: `13.000`. */
const INTEGER = /^(?:0|[1-9]\d*)(?:\.0{1,2})?$/;

/** Returns whether a text has digits, but no letters except that of an exponent: `1 001`, `="1001"`, `1,2E+04`. */
export function looksLikeNumber(text: string): boolean {
	return /\d/.test(text) && /^(?:\P{L}|(?<=\d)[eE](?=[-+]?\d))*$/u.test(text);
}

/** Accepts the ID of a site: an integer that JSON carries exactly (below 2^53), or its digits. */
export function checkSiteId(input: unknown): Result<number, Invalid> {
	const id = typeof input === 'string' ? unquote(cleanText(input).trim()) : input;
	if (isBlank(id)) return { failure: INVALID_VALUE.empty() };
	if (typeof id === 'string' ? !INTEGER.test(id) : !Number.isInteger(id)) {
		const reason = typeof id === 'string' && looksLikeNumber(id) ? 'idFormat' : 'notWholeNumber';
		return { failure: INVALID_VALUE[reason](id) };
	}
	const value = Number(id);
	if (!Number.isSafeInteger(value)) return { failure: INVALID_VALUE.idTooLarge(id) };
	// A negative zero is 0.
	return { value: value === 0 ? 0 : value };
}

const SEPARATORS = [
	String.raw`[\t;|]`,
	String.raw`[,:](?!\d)`, // Before a digit, it may belong to the number: `1001,0`, `10:30`.
	String.raw`(?<=\s)[\p{Pd}\u2212](?=\s)`, // A dash between spaces.
	String.raw`(?<=\s)|$`, // A space, or no name.
];
// Its dot matches line breaks, too: a text with one must not take cubic time.
const LINE = new RegExp(String.raw`^("?)([\d.]+)\1[^\S\t]*(${SEPARATORS.join('|')})\s*(.*)$`, 'su');

/** Splits a clean line into an ID, its separator (empty for a space) and the rest. Returns undefined if no ID begins it. */
export function splitLine(
	line: string,
): { siteId: number; separator: string; rest: string } | undefined {
	const [, , id, separator = '', rest = ''] = LINE.exec(line) ?? [];
	const { value: siteId } = checkSiteId(id);
	return siteId === undefined ? undefined : { siteId, separator, rest: rest.trim() };
}

/** By the separators of tables. A comma before a space may belong to a name: `1001, Vik, Nord`. */
const FURTHER_CELLS: Record<string, RegExp> = {
	'\t': /\t.*/,
	';': /;.*/,
	'|': /\|.*/,
	',': /,(?!\s).*/,
};

/** Returns the first cell of what follows an ID, with its quotes; without a table, all of it. */
export function firstCell(rest: string, separator: string): string {
	const furtherCells = FURTHER_CELLS[separator];
	if (!furtherCells) return rest;
	return FIRST_CELL.exec(rest)?.[0] ?? rest.replace(furtherCells, '').trim();
}
