import { INVALID_VALUE, type Invalid } from '../messages/invalid';
import type { Result } from '../messages/failure';
import { isBlank, stripInvisible } from './values';

/*
 * How people write sites in 'Known Sites' and in the fields of a node. What could mean another site is refused, or doubted: it is
 * read, but the credential test asks whether that is right.
 *
 * | Part       | Accepted                                              | Refused or doubted                                    |
 * | ---------- | ----------------------------------------------------- | ----------------------------------------------------- |
 * | Site ID    | `1001`, `1001.0` (of pandas), `"1001"` in a cell      | `007`, `-7`, `+7`, `1 001`, `13.000`, `1001,0`,       |
 * |            | of its own, full-width digits                         | `1E3`, `'1001`, `="1001"`                             |
 * | Line       | An ID, a separator and a name: `1001 Storvågen`       | `Storvågen 1001`, `1001 1002`, `1001 & 1002`,         |
 * |            |                                                       | `1 001 Storvågen`, `12,5 X`, `- 1001 X`               |
 * | Separator  | A space, a tab, one of `,;:|`, a dash between spaces  | `1001-Storvågen`, `1001. Storvågen`, `10:30 X`        |
 * | Name       | To the next tab, `;` or `|`; in `1001,Vik,…` also to  | `"Storvågen`, `Storvågen”` (one quotation mark)       |
 * |            | the next comma. Without the quotes around it          |                                                       |
 * | Line break | Any of Unicode's. Within quotes it is a space         |                                                       |
 * | Total      | `58 "Treff"`; `1003` below `1002 Nord`                | `58`, `58 Treff`, `60 sites` below 58 lines such as   |
 * |            |                                                       | `1001 Storvågen`; `12480 Total`                       |
 * | Two sites  | `7 Merd 2`, `1001 17-300`, `1001 "Vik 1002"`,         | Doubted: `1001 Vik 1002`, `7 Vik, 8 Nord`, `7 og 8`,  |
 * |            | `1001 Vik 200`                                        | `1001;Vik;1002;Nord`, `1;1001;Vik` (a row's number)   |
 * | List       | Lines, then parts between tabs and `;`, then between  | `7 100`, `36,548 45,165`, `1001 -1003`                |
 * |            | commas, then IDs between spaces                       |                                                       |
 * | Array      | One site an element, also if it is written as JSON    | `[13.000]` and `[1E3]` as JSON                        |
 *
 * `knownSitesLines.ts` reads lines, `misleadingLines.ts` finds totals and two sites in a line. `siteReferences.ts` reads lists
 * and arrays, and keeps known names with a comma whole.
 */

/** Quotation marks of any kind, and apostrophes, which people use as such. */
export const QUOTES = '"\'“”„‘’‚«»';
/** A cell that a spreadsheet puts in quotes, because it contains a line break, a tab or quotes, which are doubled. */
const CELL = '"(?:[^"]|"")*"';
/** Quotes of other kinds. An apostrophe between letters does not end one: `'St John's'`. */
const OTHER_QUOTES = String.raw`[“”„«»][^“”„«»]*[“”«»]|['‘’‚](?:[^'‘’‚]|(?<=\p{L})['’](?=\p{L}))*['‘’]`;
/** A cell or a word in quotes, up to the end of a cell or word. */
const QUOTED = new RegExp(
	String.raw`(?<=^|[\s;,|:])(?:${CELL}|${OTHER_QUOTES})(?=$|[\s;,|:])`,
	'gmu',
);

const ONE_QUOTED = new RegExp(`^(?:${CELL}|${OTHER_QUOTES})$`, 'u');

/** Only spreadsheets quote longer cells. Other marks are then no pair, such as the apostrophes of `'t Hoff` and `Farmers'`. */
const MAX_QUOTED_LINES = 3;

/** A line break within quotes, in a clean text. */
export const CELL_BREAK = '\v';

/** Returns whether a text is one name in quotes: not `"A" and "B"`. */
export function isQuoted(text: string): boolean {
	return ONE_QUOTED.test(text);
}

/** Removes what people cannot see or do not mean: invisible characters, kinds of line breaks, full-width digits. */
export function cleanText(text: string): string {
	return stripInvisible(text)
		.replace(/[\uff10-\uff19]/g, (digit) => digit.normalize('NFKC'))
		.replace(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, '\n')
		.replace(QUOTED, (quoted) => {
			const isPair = quoted.startsWith('"') || quoted.split('\n').length <= MAX_QUOTED_LINES;
			return isPair ? quoted.replaceAll('\t', ' ').replace(/ ?\n ?/g, CELL_BREAK) : quoted;
		});
}

/** Drops the quotes around an ID that is a cell by itself: `"1001"` and `"1001","Vik"`. */
function unquoteId(line: string): string {
	return line.replace(/^"([\d.]+)"(?=\s*(?:[\t;,|]|$))/, '$1');
}

/** More decimals than two may be a thousands separator: `13.000`. */
const INTEGER = /^(?:0|[1-9]\d*)(?:\.0{1,2})?$/;

/** What marks a number as a text in spreadsheets: `'1001`, `="1001"`. */
const TEXT_MARKS = /^=?["'\u2018-\u201d]?|["'\u2018-\u201d]$/g;
/** With any sign, groups, decimals and exponent. `7, 8` are two numbers. */
const ANY_NUMBER = /^[-+]?\d(?:(?:[\d\s.'\u2019]|,(?!\s))*\d)?[.,]*(?:e[-+]?\d+)?$/i;

/** Returns whether a text is a number in any form. */
export function looksLikeNumber(text: string): boolean {
	return ANY_NUMBER.test(text.replace(TEXT_MARKS, ''));
}

/** Accepts the ID of a site: an integer that JSON carries exactly (below 2^53), or its digits. */
export function checkSiteId(input: unknown): Result<number, Invalid> {
	const id = typeof input === 'string' ? unquoteId(cleanText(input).trim()) : input;
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

const LINE = /^([\d.]+)(\s*[\t;:|]|\s*,\s*|\s+[\p{Pd}\u2212](?=\s)|\s|$)(.*)$/u;

/** Splits a clean line into an ID, its separator and the rest. Returns undefined for one that does not begin with an ID. */
export function splitLine(
	line: string,
): { siteId: number; separator: string; rest: string } | undefined {
	const [, id, separator = '', rest = ''] = LINE.exec(unquoteId(line)) ?? [];
	const { value: siteId } = checkSiteId(id);
	return siteId === undefined ? undefined : { siteId, separator, rest: rest.trim() };
}

/** Matches each cell of a row: one in quotes, or what precedes the end of a cell. */
const cellsUntil = (end: string) =>
	new RegExp(String.raw`(${CELL})\s*(?:[\t;,|]|$)|((?:(?!${end}).)*)(?:${end}|$)`, 'gs');
const CELLS = cellsUntil(String.raw`[\t;|]`);
const CELLS_WITH_COMMAS = cellsUntil(String.raw`[\t;|]|,(?!\s)`);

/** Splits what follows an ID into cells, with their quotes. Only a comma right after the ID is one between cells: "1001 Vik, Nord". */
export function splitCells(row: string, separator: string): string[] {
	const cells = row.matchAll(separator === ',' ? CELLS_WITH_COMMAS : CELLS);
	return [...cells].map(([, quoted, plain = '']) => (quoted ?? plain).trim());
}

const ONE_CELL = new RegExp(`^${CELL}$`);

/** Drops a pair of quotes, but not those of `"A" and "B"`. Doubled quotes within a cell are one. */
export function unquote(cell: string): string {
	const isCell = ONE_CELL.test(cell);
	const text = (isCell ? cell.slice(1, -1) : cell).replaceAll('""', '"');
	const inner = /^["'“”„‘’‚«»]([^"“”„«»]+)["'“”‘’«»]$/.exec(isCell ? '' : text)?.[1];
	return (inner ?? text).replace(/\v+/g, ' ').trim();
}
