import { INVALID_VALUE, type Invalid } from '../messages/invalid';
import type { Result } from '../messages/failure';
import { isBlank, stripInvisible } from './values';

/*
 * How people write sites in 'Known Sites' and in the fields of a node: an ID, a separator and a name. What is unclear is refused,
 * because no text should silently become another site.
 *
 * | Part           | Accepted                                             | Refused                                          |
 * | -------------- | ---------------------------------------------------- | ------------------------------------------------ |
 * | Site ID        | `1001`, `1001.0` (of pandas), `"1001"`, full-width   | `007`, `-7`, `1 001`, `13.000`, `1001,0`, `1E3`, |
 * |                | digits                                               | `'1001`, `="1001"`                               |
 * | Line           | An ID, a separator and a name: `1001 Storvågen`      | `Storvågen 1001`, `- 1001 X`, `12,5 X`           |
 * | Separator      | A space, a tab, one of `,;:|`, a dash between spaces | `1001-Storvågen`, `1001. Storvågen`, `10:30 X`   |
 * | Name           | Has a letter, or is missing. Without the quotes      | `1001 1002`, `1001;1002`, `1001 17-3`,           |
 * |                | around it. In a table, up to the next cell:          | `1;1001;Vik` (a row's number)                    |
 * |                | `1001;Storvågen;780`                                 | `“Storvågen`, `Storvågen”`                       |
 * | Number in name | The ID, or with fewer digits: `1001 Vik 200`. In a   | `7 Merd 2`, `1001 og 1002`, `1001 Vik 1002`,     |
 * |                | word or date: `7 F100`, `7 Vik 17-3`. After a tab,   | `1;1001 Vik` (a row's number)                    |
 * |                | `;` or `|`, or in `"`, any after a letter:           |                                                  |
 * |                | `7;Merd 2`, `1001 "Vik 1002"`                        |                                                  |
 * | Line break     | Any of Unicode's. In a cell in `"`, it is a space    | A break and a number: `1001 "A⏎3120 B"`          |
 * | Total          | `58 "Sites"`, `58`                                   | `58 sites`, `58 treff`, `12480 Total`            |
 * | List           | Lines, then parts between tabs and `;`, then between | `7 100`, `7, 36,548`, `7, 1001,0`, `1001 -1003`  |
 * |                | commas, then IDs between spaces. `["1001", 1002]`,   |                                                  |
 * |                | and `7,100` alone                                    |                                                  |
 *
 * `knownSitesLines.ts` reads lines, `siteReferences.ts` reads lists. `test/nodes/Aquaculture/input/siteText.test.ts` runs all of these
 * examples.
 */

/** A cell that a spreadsheet puts in quotes, because it contains a line break or quotes, which are doubled: `"Mac ""Deep"""`. */
const CELL = String.raw`(?<![^\s;,|:])"(?:[^"]|"")*"(?![^\s;,|:])`;
const ONE_CELL = new RegExp(`^${CELL}$`);

/** Removes what people cannot see or do not mean: invisible characters, kinds of line breaks, full-width digits. */
export function cleanText(text: string): string {
	return stripInvisible(text)
		.replace(/[\uff10-\uff19]/g, (digit) => digit.normalize('NFKC'))
		.replace(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, '\n');
}

/** Splits a text at a separator, a pattern, but not within cells in quotes. */
export function split(text: string, separator: string): string[] {
	const parts: string[] = [];
	let start = 0;
	for (const { 0: match, index } of text.matchAll(new RegExp(`${CELL}|${separator}`, 'g'))) {
		if (match.startsWith('"')) continue;
		parts.push(text.slice(start, index));
		start = index + match.length;
	}
	return [...parts, text.slice(start)];
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
	return inner.replace(/ ?[\n\t]+ ?/g, ' ').trim();
}

/** More decimals than two may be a thousands separator: `13.000`. */
const INTEGER = /^(?:0|[1-9]\d*)(?:\.0{1,2})?$/;

/** Returns whether a text has digits, but no letters except that of an exponent: `1 001`, `="1001"`, `1,2E+04`. */
export function looksLikeNumber(text: string): boolean {
	return /\d/.test(text) && /^(?:\P{L}|(?<=\d)[eE](?=[-+]?\d))*$/u.test(text);
}

/**
 * Accepts the ID of a site: an integer that JSON carries exactly (below 2^53), or its digits. A negative number is an integer, too, but
 * in a text its minus may be a dash or a range.
 */
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

/** What ends a cell after the separator of a table. After a comma, a comma before a space may belong to the name: `1001,Vik, Nord`. */
const CELL_ENDS: Record<string, string> = {
	'\t': '\t',
	';': ';',
	'|': String.raw`\|`,
	',': String.raw`(?<="),|,(?!\s)`,
};

/** Returns the first cell of what follows an ID, with its quotes; without a table, all of it. */
export function firstCell(rest: string, separator: string): string {
	const cellEnd = CELL_ENDS[separator];
	return cellEnd === undefined ? rest : (split(rest, cellEnd)[0] ?? '').trim();
}
