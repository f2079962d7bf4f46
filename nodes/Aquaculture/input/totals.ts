import type { Line } from './knownSitesLines';

/*
 * Is the first or last line with a number a site, or does it say how many sites there are, or sum up a column?
 *
 * | Line, beside 58 lines such as `1001 Storvågen`              | Taken for               |
 * | ----------------------------------------------------------- | ----------------------- |
 * | Their number, without a name: `58`, `58 sites`, `58 Totalt` | A total, so it is no site |
 * | Their number and a name: `58 Treff`                         | A site, with a doubt    |
 * | Another number, without a name: `60`, `60 sites`            | A site, with a doubt    |
 * | `58 "Treff"`, `60 Treff`                                    | A site                  |
 */

/** The first or last line with an ID. */
interface End {
	line: Line;
	/** The line with an ID next to it. */
	neighbour: Line;
	/** Whether its ID is the number of the other lines. Those without an ID may count or not. */
	isCount: boolean;
}

/** Finds the lines that are no sites, but totals. */
export function findTotals(lines: readonly Line[]): Set<Line> {
	// A list of short IDs alone, or of small names, may happen to end with its number.
	const differs = ({ line, neighbour }: End) =>
		!lacksName(neighbour) || countDigits(line) < countDigits(neighbour);
	const totals = findEnds(lines).filter(
		(end) => end.isCount && lacksName(end.line) && differs(end),
	);
	return new Set(totals.map(({ line }) => line));
}

/** Finds the lines that may be totals. */
export function findDoubtfulTotals(lines: readonly Line[]): Set<Line> {
	const doubtful = findEnds(lines).filter(({ line, neighbour, isCount }) => {
		const isNamedCount = isCount && lines.length > 2 && !line.isNameQuoted;
		return isNamedCount || (lacksName(line) && !lacksName(neighbour));
	});
	return new Set(doubtful.map(({ line }) => line));
}

function findEnds(lines: readonly Line[]): End[] {
	const sites = lines.filter(({ site }) => site);
	return [sites, sites.toReversed()].flatMap(([line, neighbour]) => {
		if (!line?.site || !neighbour) return [];
		const { siteId } = line.site;
		const isCount = siteId >= sites.length - 1 && siteId <= lines.length - 1;
		return [{ line, neighbour, isCount }];
	});
}

/** Returns whether a line has no name, or goes on like a total: `58`, `58 sites`, `58 Totalt`. */
const lacksName = ({ cells: [name = ''], isNameQuoted }: Line) =>
	!isNameQuoted && /^(?:$|\p{Ll}|Total|Sum\b)/u.test(name);

const countDigits = ({ site }: Line) => String(site?.siteId).length;
