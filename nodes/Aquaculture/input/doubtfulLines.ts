import type { Line } from './knownSitesLines';
import { findDoubtfulTotals } from './totals';

/*
 * Which lines add a site, but may name another one, too, or none?
 *
 * | Doubted                                      | Not doubted                                                      |
 * | -------------------------------------------- | ---------------------------------------------------------------- |
 * | A number in the name: `1001 Vik 1002`,       | A short number after a name: `7 Merd 2`. One within a word:      |
 * | `1001 A (1002)`, `7 Vik, 8 Nord`, `7 og 8`   | `1001 17-300`. One in quotes: `1001 "Vik 1002"`                  |
 * | A number in a column before one with a text: | A column whose numbers repeat or are much longer than IDs, such  |
 * | `1001;A;1002;B`, `1;1002;B`                  | as phone numbers                                                 |
 * | A line that may be a total: see `totals.ts`  |                                                                  |
 *
 * A number with fewer digits than all IDs of the list is none.
 */

/** Finds the lines that add a site, but may name another one, too, or none. */
export function findDoubtfulLines(lines: readonly Line[]): Set<Line> {
	const sites = lines.filter(({ site }) => site);
	const digits = sites.map(countDigits).sort((one, other) => one - other);
	const [minDigits = 0] = digits;
	// IDs of the same register may have one digit more. Organisation numbers and phone numbers have several.
	const maxDigits = (digits.at(-1) ?? 0) + 1;
	const columnNumbers = sites.map((line) =>
		listColumnNumbers(line).filter(({ length }) => length >= minDigits && length <= maxDigits),
	);
	// IDs do not repeat. The numbers of most other columns do.
	const repeat = new Set(columnNumbers.flat()).size < columnNumbers.flat().length;
	const totals = findDoubtfulTotals(lines);
	const doubtful = sites.filter((line, index) => {
		const inName = listNumbersInName(line).filter(({ length }) => length >= minDigits);
		const inColumns = repeat ? [] : (columnNumbers[index] ?? []);
		return inName.length > 0 || inColumns.length > 0 || totals.has(line);
	});
	return new Set(doubtful);
}

const countDigits = ({ site }: Line) => String(site?.siteId).length;

/** Returns whether a letter precedes any digit, or a part in quotes. */
const isText = (text = '') => /^[^\p{L}\d"]*[\p{L}"]/u.test(text);

/** Lists the numbers of a row that stand in a column before one with a text: 1002 in `1001;A;1002;B` and `1;1002;B`. */
function listColumnNumbers({ cells }: Line): string[] {
	const filled = cells.filter((cell) => cell !== '');
	return filled.filter((cell, index) => /^\d+$/.test(cell) && isText(filled[index + 1]));
}

/** Lists the numbers of a name that may be the IDs of other sites. */
function listNumbersInName({ site, cells: [name = ''] }: Line): string[] {
	const words = splitWords(name);
	return words
		.filter((_, index) => mayBeId(words, index))
		.map(({ text }) => text)
		.filter((text) => /^\d+$/.test(text) && text !== String(site?.siteId));
}

interface Word {
	text: string;
	/** What separates it from the word before. */
	before: string;
}

/** Splits a name into words. `17-300`, `3.5`, `John's` and a part in quotes are one. */
function splitWords(name: string): Word[] {
	const parts = name.split(/([^\p{L}\p{M}\p{N}\p{Pd}.'’"]+)/u);
	const words = parts.flatMap((text, index) =>
		index % 2 === 0 ? [{ text, before: parts[index - 1] ?? '' }] : [],
	);
	return words.filter(({ text }) => /[\p{L}\p{N}"]/u.test(text));
}

/** Returns whether a number may be the ID of another site, like 8 in `Vik, 8 Nord`, `Vik, 8` and `og 8`, but not 2 in `Merd 2`. */
function mayBeId(words: readonly Word[], index: number): boolean {
	const { text, before } = words[index] ?? { text: '', before: '' };
	const isLong = text.length > 2;
	const beginsPart = /[;,|]/.test(before) || isText(words[index + 1]?.text);
	const followsOnlyAnd = index === 1 && /^\p{Ll}/u.test(words[0]?.text ?? '');
	return isLong || beginsPart || followsOnlyAnd;
}
