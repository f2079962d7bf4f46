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

/** The sites of a credential, by ID, and by name or label. */
export class KnownSites {
	/** The lines that add no site: without one clear ID, or with that of another line and another name. */
	readonly unusableLines: KnownSitesLine[] = [];
	/** The lines that add a site, but may name two. */
	readonly doubtfulLines: KnownSitesLine[] = [];
	private readonly sites = new Map<number, SiteRef>();
	/** Names and labels, by their keys without accents. */
	private readonly names = new Map<string, Array<{ key: string; siteId: number }>>();

	/** @param input the field 'Known Sites': a site on each line, and perhaps a first line of headings. */
	constructor(input: unknown) {
		for (const line of splitLines(checkRawText(input).value ?? '')) {
			const site = parseLine(line.text);
			const text = line.text.replaceAll(CELL_BREAK, ' ').trim();
			const shown = { ...line, text, repeatsId: site !== undefined };
			if (!site || !this.add(site)) this.unusableLines.push(shown);
			else if (mayNameTwoSites(line.text)) this.doubtfulLines.push(shown);
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
	 * Finds the ID of a site by its name or label. Accents may be missing if only one site fits.
	 *
	 * @returns several IDs if sites share the name.
	 */
	find(text: string): readonly number[] {
		const similar = this.names.get(accentlessKey(text)) ?? [];
		const textKey = nameKey(text);
		const exact = similar.filter(({ key }) => key === textKey);
		const found = exact.length === 0 && similar.length === 1 ? similar : exact;
		return found.map(({ siteId }) => siteId);
	}
}

/**
 * Splits the field into lines, without blank ones and without headings. A tab at the beginning of a line stays: the cell of its ID
 * is empty, as in a row of totals. If all lines begin with one, it indents them.
 */
function splitLines(input: string): Array<Omit<KnownSitesLine, 'repeatsId'>> {
	let line = 1;
	const all = cleanText(input)
		.split('\n')
		.map((text) => {
			const start = line;
			line += text.split(CELL_BREAK).length;
			return { line: start, text: text.replace(/^[^\S\t]+/, '').trimEnd() };
		})
		.filter(({ text }) => text !== '');
	const areIndented = all.every(({ text }) => text.startsWith('\t'));
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

/**
 * `1 001 Storvågen` may be site 1001, or site 1 with the name "001 Storvågen" (after a tab, that is the name). `1001,0`, `12,5 X` and
 * `1,2E+04` may be numbers with a decimal comma, and `10:30` is a time.
 */
const AMBIGUOUS =
	/^\d{1,3}[^\S\t]\d{3}(?!\d)|^[\d.]+,\d+(?:E[-+]?\d+)?(?![\p{L}\p{Pd}\d])|^[\d.]+,\d+E[-+]?\d|^\d+:\d/iu;

/** The end of a list that counts its lines: `58 sites`, `12 rader totalt`. */
const TOTAL =
	/^(?:sites|farms|locations|localities|lokaliteter|anlegg|rows|rader|records|results|stk)\.?(?: (?:in )?total[lt]?t?)?$/i;

function parseLine(line: string): SiteRef | undefined {
	const { siteId, separator, rest } = splitLine(line) ?? { separator: '', rest: '' };
	const isNumbers = hasOnlyNumbers(rest) && !separator.includes('\t');
	if (siteId === undefined || isNumbers || AMBIGUOUS.test(line)) return undefined;
	const name = firstCell(rest, nameEnd(separator));
	if (TOTAL.test(name) || /^"[^"]*$/.test(name)) return undefined;
	return { siteId, siteName: name || null };
}

/** What people write between IDs: `1001 og 1002`, `1001 - 1003`. */
const CONNECTING = /^(?:og|and|eller|or|til|to|av|of|&|\+|\/|\.{2,3}|…|[\p{Pd}\u2212])$/iu;

/** Returns whether there are only numbers after an ID, so that the line names several sites. After a tab, a number is a name. */
function hasOnlyNumbers(rest: string): boolean {
	const words = rest.split(/[\s,;:|]+/);
	return /\d/.test(rest) && words.every((word) => /^-?\d*$/.test(word) || CONNECTING.test(word));
}

/** Returns where a name ends, by the separator before it. A comma may be part of a name: "Vik, Nord". */
function nameEnd(separator: string): RegExp {
	return separator === ',' ? /[\t;|]|,(?!\s)/ : /[\t;|]/;
}

/** A number that may be the ID of another site: `Storvågen 1002`, or the 8 of `7 Vik, 8 Nord`. `17-300` is a name. */
const OTHER_ID = /(?<![\p{L}\d.,\p{Pd}])\d{3,}(?![\p{L}\d.,\p{Pd}])|[,;]\s*\d+ \p{L}/u;

/** Returns whether a line that adds a site may name two. Quotes say that a number belongs to the name. */
function mayNameTwoSites(line: string): boolean {
	const { separator = '', rest = '' } = splitLine(line) ?? {};
	if (/^["'“”„‘’‚«»]/.test(rest)) return /\v\d/.test(rest);
	return /[\t;|]/.test(separator) ? /^\d{3,}(?!\S)/.test(rest) : OTHER_ID.test(rest);
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
