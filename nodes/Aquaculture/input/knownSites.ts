import { siteLabel, type SiteRef } from '../service/site';
import { CELL_BREAK, cleanText, firstCell, splitLine, unquote } from './siteText';
import { checkRawText, stripInvisible } from './values';

/** A line of 'Known Sites', counted from 1. */
interface KnownSitesLine {
	line: number;
	text: string;
	/** Whether it has a site ID, but that of another line. */
	repeatsId: boolean;
}

type TextLine = Omit<KnownSitesLine, 'repeatsId'>;

interface ParsedLine extends TextLine {
	/** Undefined without one clear ID at its beginning. */
	site?: SiteRef;
	/** What follows the ID, in a table by cell, with a quotation mark for each quoted part. */
	cells: string[];
}

/** The sites of a credential, by ID, and by name or label. */
export class KnownSites {
	/** The lines that add no site: without one clear ID, or with that of another line and another name. */
	readonly unusableLines: KnownSitesLine[] = [];
	/** The lines that add a site, but may name two, or none. */
	readonly doubtfulLines: KnownSitesLine[] = [];
	private readonly sites = new Map<number, SiteRef>();
	/** Names and labels, by their keys without accents. */
	private readonly names = new Map<string, Array<{ key: string; siteId: number }>>();

	/** @param input the field 'Known Sites': a site on each line, and perhaps a first line of headings. */
	constructor(input: unknown) {
		const lines = splitLines(checkRawText(input).value ?? '').map(parseLine);
		const doubtful = findDoubtful(lines);
		for (const each of lines) {
			const text = each.text.replaceAll(CELL_BREAK, ' ').trim();
			const shown = { line: each.line, text, repeatsId: each.site !== undefined };
			if (!each.site || !this.add(each.site)) this.unusableLines.push(shown);
			else if (doubtful.has(each)) this.doubtfulLines.push(shown);
		}
	}

	/** Returns false if another line has the ID, with another name. */
	private add(site: SiteRef): boolean {
		const { siteId, siteName } = site;
		const same = this.sites.get(siteId);
		if (same) return same.siteName === siteName;
		this.sites.set(siteId, site);
		for (const name of siteName === null ? [] : [siteName, siteLabel(site)]) {
			const named = { key: nameKey(name), siteId };
			const others = this.names.get(accentlessKey(name));
			if (others) others.push(named);
			else this.names.set(accentlessKey(name), [named]);
		}
		return true;
	}

	get hasNoSites(): boolean {
		return this.sites.size === 0;
	}

	all(): SiteRef[] {
		return [...this.sites.values()];
	}

	byId(siteId: number): SiteRef {
		return this.sites.get(siteId) ?? { siteId, siteName: null };
	}

	/**
	 * Finds the ID of a site by its name or label. Without one of exactly this name, accents make no difference.
	 *
	 * @returns several IDs if several sites fit.
	 */
	find(text: string): readonly number[] {
		const similar = this.names.get(accentlessKey(text)) ?? [];
		const textKey = nameKey(text);
		const exact = similar.filter(({ key }) => key === textKey);
		return (exact.length > 0 ? exact : similar).map(({ siteId }) => siteId);
	}
}

/**
 * Splits the field into lines, without blank ones and without headings. A tab at the beginning of a line stays: the cell of its ID
 * is empty, as in a row of totals. If all lines begin with one, it indents them.
 */
function splitLines(input: string): TextLine[] {
	let line = 1;
	const all = cleanText(input)
		.split('\n')
		.map((text) => {
			const start = line;
			line += text.split(CELL_BREAK).length;
			return { line: start, text: text.trimEnd() };
		})
		.filter(({ text }) => text !== '');
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

/** A quotation mark without its partner: the name continues in the next line, or begins in the one before. */
const LONE_QUOTE = [
	/^["'“”„‘’‚«»][^"'“”„‘’‚«»]*$/, // `"Storvågen`.
	/^[^"'“”„‘’‚«»]*["“”„«»]$/, // `Storvågen”`, but not `Farmers'`: the apostrophe may belong to the name.
];

const matches = (text: string, patterns: readonly RegExp[]) =>
	patterns.some((pattern) => pattern.test(text));

function parseLine(each: TextLine): ParsedLine {
	const line = each.text.replace(/^[^\S\t]+/, '');
	const { siteId, separator = '', rest = '' } = splitLine(line) ?? {};
	const isNumbers = hasOnlyNumbers(rest) && !separator.includes('\t');
	const unusable = { ...each, cells: [] };
	if (siteId === undefined || isNumbers || matches(line, AMBIGUOUS)) return unusable;
	// A comma may be part of a name: "Vik, Nord".
	const cellEnd = separator === ',' ? /[\t;|]|,(?!\s)/ : /[\t;|]/;
	const siteName = firstCell(rest, cellEnd) || null;
	if (matches(siteName ?? '', LONE_QUOTE)) return unusable;
	const text = rest.replace(SINGLE_QUOTED, '"').replace(DOUBLE_QUOTED, '"');
	const isTable = /[\t;|]|^,$/.test(separator);
	const cells = isTable ? text.split(cellEnd).map((cell) => cell.trim()) : [text];
	return { ...each, site: { siteId, siteName }, cells };
}

/** Returns whether there are only numbers after an ID, so that the line names several sites. After a tab, a number is a name. */
function hasOnlyNumbers(rest: string): boolean {
	const words = rest.split(/[\s,;:|]+/);
	return /\d/.test(rest) && words.every((word) => /^(?:-?\d+|[^\p{L}\d]*)$/u.test(word));
}

/* Lines that may name another site, too, or none. Quotes say that a number belongs to the name, unless a line break precedes it. */

const DOUBLE_QUOTED = /["“„«»][^"“”„«»\v]*["“”«»]/g;
/** Only around the whole name: within it, such a mark is an apostrophe. */
const SINGLE_QUOTED = /^['‘’‚][^'‘’‚\v]*['‘’]$/;

/** The beginning of a number, but not within `17-300`, `3,5 km` or `M1`. */
const START = String.raw`(?=\d)(?<![\p{L}\d\p{Pd}]|\d[.,])`;
const BEFORE_WORD = String.raw`(?=[\s;,|:][^\p{L}\d"]*[\p{L}"])`;
const AT_END = String.raw`(?![^\s;,|])`;
/** What finds numbers in a name that may be the IDs of other sites. The number of `Merd 2` is none. */
const OTHER_IDS = [
	String.raw`${START}\d+${BEFORE_WORD}`, // 8 in `7 Vik, 8 Nord`.
	String.raw`${START}\d{3,}${AT_END}`, // 1002 in `1001 Vik 1002`.
	String.raw`${START}(?<=[;,|]\s*)\d+${AT_END}`, // 10 in `7 Vik, 10`.
	String.raw`${START}(?<=^\p{Ll}+ )\d+${AT_END}`, // 8 in `7 og 8`.
].map((pattern) => new RegExp(pattern, 'gu'));

/** A number in a further cell, before one with a text: `7;Vik;8;Nord`. */
const COLUMN_IDS = new RegExp(String.raw`(?<=\t)\d+(?=\t)${BEFORE_WORD}`, 'gu');

/** Finds the lines that add a site, but may name another one, too, or none. */
function findDoubtful(lines: readonly ParsedLine[]): Set<ParsedLine> {
	const sites = lines.filter(({ site }) => site);
	const digits = sites.map(({ site }) => String(site?.siteId).length);
	// A number with fewer digits than all IDs is none. One line does not tell how many they have.
	const minDigits = sites.length === 1 ? 1 : digits.reduce((min, each) => Math.min(min, each), 99);
	const listIds = (text: string, patterns: readonly RegExp[]) =>
		patterns.flatMap((pattern) => text.match(pattern) ?? []).filter((id) => id.length >= minDigits);
	// IDs of the same register may have one digit more. Organisation numbers and phone numbers have several.
	const maxDigits =
		sites.length === 1 ? Infinity : digits.reduce((max, each) => Math.max(max, each), 0) + 1;
	const columns = sites.map(({ cells }) =>
		listIds(cells.join('\t'), [COLUMN_IDS]).filter(({ length }) => length <= maxDigits),
	);
	// IDs do not repeat. The numbers of most other columns do.
	const repeat = new Set(columns.flat()).size < columns.flat().length;
	const doubtful = sites.filter(({ cells: [name = ''] }, index) => {
		const ids = [...listIds(name, OTHER_IDS), ...(repeat ? [] : (columns[index] ?? []))];
		return ids.length > 0 || mayBeTotal(sites, index);
	});
	return new Set(doubtful);
}

/**
 * Returns whether the first or last line may count the others or sum up a column: `58 treff`, or `58` alone. It has their number or,
 * unlike the line next to it, no name or a small letter.
 */
function mayBeTotal(sites: readonly ParsedLine[], index: number): boolean {
	const others = sites.length - 1;
	if (others === 0 || (index > 0 && index < others)) return false;
	const nameAt = (at: number) => sites[at]?.cells[0] ?? '';
	const isOdd = (at: number) => /^(?:\p{Ll}|$)/u.test(nameAt(at));
	const isCount = others > 1 && sites[index]?.site?.siteId === others && nameAt(index) !== '"';
	return isCount || (isOdd(index) && !isOdd(index === 0 ? 1 : others - 1));
}

/* Keys by which names of sites are compared. */

/** The straight apostrophe, and those that programs, phones and people put in its place. */
const APOSTROPHES = /['\u2018\u2019\u201b\u2032\u02b9\u02bb\u02bc\u00b4`\uff07]/g;
/** Some programs write a dash as a minus sign (U+2212). */
const DASHES = /[\p{Pd}\u2212]/gu;

/**
 * Returns the same key for names that differ only in case, spaces, invisible characters, the composition or width of
 * characters, or the kind of apostrophe or dash. `ß` is `ss`, its capital form.
 */
function nameKey(name: string): string {
	return stripInvisible(name)
		.toLowerCase()
		.replace(APOSTROPHES, "'")
		.replace(DASHES, '-')
		.normalize('NFKC')
		.replace(/ß/g, 'ss')
		.replace(/\s+/g, ' ')
		.trim();
}

/** Unicode does not decompose these letters. */
const PLAIN_LETTERS: Record<string, string> = {
	...{ æ: 'ae', đ: 'd', ð: 'd', ǥ: 'g', ħ: 'h', ı: 'i', ĸ: 'k', ł: 'l', ŋ: 'n', ø: 'o', œ: 'oe' },
	...{ þ: 'th', ŧ: 't', ʒ: 'z' },
};
const PLAIN_LETTER_KEYS = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'g');

/** Also returns the same key for names that differ in accents: `storvagen` finds Storvågen. */
export function accentlessKey(name: string): string {
	return nameKey(name)
		.normalize('NFD')
		.replace(/\p{M}/gu, '')
		.replace(PLAIN_LETTER_KEYS, (letter) => PLAIN_LETTERS[letter] ?? letter);
}
