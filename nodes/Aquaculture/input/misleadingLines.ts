import type { Line } from './knownSitesLines';

/* Finds the lines that begin with an ID, but may not mean one site. The table in `siteText.ts` has examples. */

/**
 * Finds the totals, such as `58 sites`. A first or last line is one if at least two signs speak for it: its number is that of the
 * other lines, has more or fewer digits than the ID next to it, or has no name although the ID next to it has one.
 */
export function findTotals(lines: readonly Line[]): Set<Line> {
	const sites = lines.filter(({ site }) => site);
	const totals = [sites, sites.toReversed()].flatMap(([end, neighbour]) => {
		if (!end?.site || !neighbour || end.isNameQuoted) return [];
		const { siteId } = end.site;
		const signs = [
			// Lines without an ID may count or not.
			siteId >= sites.length - 1 && siteId <= lines.length - 1,
			countDigits(end) !== countDigits(neighbour),
			!hasName(end) && hasName(neighbour),
		];
		return signs.filter(Boolean).length > 1 ? [end] : [];
	});
	return new Set(totals);
}

/** Returns whether a name follows the ID, unlike in `58` and `58 sites`. */
const hasName = ({ cells: [name = ''] }: Line) => /^[^\p{Ll}]/u.test(name);

/** Finds the lines that may name two sites, because another number may be an ID. */
export function findDoubtfulLines(sites: readonly Line[]): Line[] {
	// A number with fewer digits than all IDs is none.
	const [minDigits = 0] = sites.map(countDigits).sort((one, other) => one - other);
	const hasOtherId = (line: Line) =>
		listNumbersInName(line).some(({ length }) => length >= minDigits);
	// IDs do not repeat. The numbers of most other columns do.
	const inColumns = sites.flatMap(listIdsInColumns);
	const repeat = new Set(inColumns).size < inColumns.length;
	const hasPair = (line: Line) => !repeat && listIdsInColumns(line).length > 0;
	return sites.filter((line) => hasOtherId(line) || hasPair(line));
}

const countDigits = ({ site }: Line) => String(site?.siteId).length;

/** A number that is not part of a word, such as `17-3` or `28.11.2026`. */
const NUMBER = /(?<![\p{L}\p{M}\p{N}\p{Pd}.'’])\d+(?![\p{L}\p{M}\p{N}\p{Pd}'’]|\.\d)/gu;

function listNumbersInName({ site, cells: [name = ''], isNameQuoted }: Line): string[] {
	if (isNameQuoted) return [];
	// A short number after a name belongs to it: `7 Merd 2`, but not `7 og 8` or `7 Vik, 8`.
	const text = /\p{Lu}/u.test(name) ? name.replace(/(?<![\s,;|])\s+\d{1,2}$/, '') : name;
	return (text.match(NUMBER) ?? []).filter((number) => number !== String(site?.siteId));
}

/** Lists the other IDs of a row in which IDs and names alternate: 1002 in `1001;A;1002;B`. */
function listIdsInColumns(line: Line): string[] {
	const cells = line.cells.filter((cell) => cell !== '');
	const alternate = cells.every((cell, index) => /^\d+$/.test(cell) === (index % 2 === 1));
	if (cells.length < 3 || !alternate) return [];
	// Phone numbers and organisation numbers are longer.
	const moreDigits = (cell: string) => cell.length - countDigits(line);
	return cells.filter((cell, index) => index % 2 === 1 && [0, 1].includes(moreDigits(cell)));
}
