import type { SiteRef } from '../service/site';
import { cleanText, firstCell, isCell, split, splitLine, unquote } from './siteText';

/* Reads the lines of 'Known Sites'. The table in `siteText.ts` has examples. */

/** A line that is not blank and has no headings. */
export interface Line {
	/** Counted from 1. */
	line: number;
	text: string;
	/** Undefined if the line is not clearly an ID and a name. */
	site?: SiteRef;
}

/** Reads the field 'Known Sites'. */
export function readLines(input: string): Line[] {
	return splitLines(input).map(({ line, text }) => {
		const site = parseLine(text);
		return { line, text: text.replaceAll('\n', ' ').trim(), ...(site && { site }) };
	});
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

/** Returns the site of a line; undefined unless it is clearly one. */
function parseLine(line: string): SiteRef | undefined {
	const { siteId, separator = '', rest = '' } = splitLine(line) ?? {};
	if (siteId === undefined) return undefined;
	const cell = firstCell(rest, separator);
	const name = unquote(cell);
	if (name === '') return { siteId, siteName: null };
	const isInTable = isCell(cell) || /[\t;|]/.test(separator);
	// Quotes around a line break may belong to the names of two sites.
	const numbersFrom = isInTable && !cell.includes('\n') ? beforeLetters(name) : name;
	const isUnclear =
		!hasLetter(name) ||
		hasLoneQuote(name) ||
		hasOtherId(numbersFrom, siteId) ||
		(isTotal(name) && !isCell(cell));
	return isUnclear ? undefined : { siteId, siteName: name };
}

const hasLetter = (name: string) => /\p{L}/u.test(name);

/** The partner of a quotation mark may be in another line, whose number is then no ID: `1001 “A`, `3120 B”`. */
const hasLoneQuote = (name: string) => (name.match(/["“”„«»]/g) ?? []).length % 2 === 1;

/** In a cell, a number belongs to the name, but not one at its beginning: in `1;1001 Vik`, 1 is the number of a row. */
const beforeLetters = (name: string) => name.replace(/\p{L}.*/su, '');

/** A number that stands alone, unlike those of `F100`, `17-3` and `28.11.2026`. */
const NUMBER = /(?<![\p{L}\d\p{Pd}]|\d\.)\d+(?![\p{L}\d\p{Pd}]|\.\d)/gu;

/** Returns whether another number has at least as many digits as the ID: `1001 Vik 1002`, but not `1001 Merd 2`. */
function hasOtherId(text: string, siteId: number): boolean {
	const id = String(siteId);
	const others = (text.match(NUMBER) ?? []).filter((number) => number !== id);
	return others.some(({ length }) => length >= id.length);
}

/** Returns whether a name says that a line counts others: `12480 Total`, `58 sites`. */
function isTotal(name: string): boolean {
	return /^(?:total\w?|sum)\b/i.test(name) || COUNTED.test(name);
}

const COUNTED =
	/^(?:(?:fish )?farms|localities|locations|records|results|rows|sites|anlegg|lokaliteter|oppdrettsanlegg|rader|stk|treff)\.?$/i;
