import type { KnownSitesLine } from '../messages/messages';
import { siteLabel, type NamedSite } from '../service/site';
import { checkSiteId, checkRawText, stripInvisible } from './values';
import { accentlessKey, nameKey } from './siteNames';

/**
 * Parses the field 'Known Sites' of a credential, and finds its sites by ID, name or label.
 *
 * Each line names a site, its ID first. A separator may follow (a comma, semicolon, colon, bar, or a dash before a space),
 * then a name up to a tab or semicolon, without the quotes around it. Blank lines are skipped, and so is a header: a first
 * line without a digit, with a tab, semicolon or comma, and with other lines below it. If lines repeat an ID, the first one
 * counts.
 */
export class KnownSites {
	/** The lines that do not begin with an ID. */
	readonly linesLeftOut: KnownSitesLine[] = [];
	/** The lines that repeat the ID of an earlier one. */
	readonly linesRepeated: KnownSitesLine[] = [];
	private readonly sites = new Map<number, NamedSite>();
	/** IDs by the keys of names and labels. */
	private readonly idsByName = new Map<string, number[]>();
	private readonly idsByAccentlessName = new Map<string, number[]>();

	constructor(input: unknown) {
		for (const line of splitLines(input)) {
			const site = parseLine(line.text);
			if (!site) this.linesLeftOut.push(line);
			else if (this.sites.has(site.siteId)) this.linesRepeated.push(line);
			else this.add(site);
		}
	}

	private add(site: NamedSite): void {
		this.sites.set(site.siteId, site);
		if (site.siteName === null) return;
		for (const name of [site.siteName, siteLabel(site)]) {
			addToList(this.idsByName, nameKey(name), site.siteId);
			addToList(this.idsByAccentlessName, accentlessKey(name), site.siteId);
		}
	}

	get isEmpty(): boolean {
		return this.sites.size === 0;
	}

	all(): NamedSite[] {
		return [...this.sites.values()];
	}

	has(siteId: number): boolean {
		return this.sites.has(siteId);
	}

	byId(siteId: number): NamedSite {
		return this.sites.get(siteId) ?? { siteId, siteName: null };
	}

	/**
	 * Finds the ID of a site by its name or label. Accents may be missing if only one site fits.
	 *
	 * @returns several IDs if sites share the name.
	 */
	find(text: string): readonly number[] {
		const exact = this.idsByName.get(nameKey(text));
		if (exact) return exact;
		const accentless = this.idsByAccentlessName.get(accentlessKey(text)) ?? [];
		return accentless.length === 1 ? accentless : [];
	}
}

/** Splits the field into lines, without blank ones and without a header. */
function splitLines(input: unknown): KnownSitesLine[] {
	const lines = stripInvisible(checkRawText(input).value ?? '')
		.split(/\r\n|[\n\r\u2028\u2029]/)
		.map((text, index) => ({ line: index + 1, text: text.trim() }))
		.filter(({ text }) => text !== '');
	const [first, ...others] = lines;
	const hasHeader =
		first && others.length > 0 && !/\d/.test(first.text) && /[\t;,]/.test(first.text);
	return hasHeader ? others : lines;
}

/** Some programs write a dash as a minus sign (U+2212). */
const LINE = /^([^\s,;:|]+)\s*(?:[,;:|]|[\p{Pd}\u2212](?=\s))?([^\t;]*)/u;

/**
 * `1 001 Storvågen` may be site 1001, or site 1 with the name "001 Storvågen". After a tab, it is a name. `1001,0` may be site
 * 1001 with a decimal, or with the name "0".
 */
const AMBIGUOUS = /^-?(?:\d{1,3}(?:[^\S\t]|,)\d{3}(?!\d)|\d+,0+(?![\p{L}\d]))/u;

/** Several IDs on a line, such as `1001, 1002, 1003`, or an ID with a number for a name. After a tab, it is a name. */
const NUMBERS_ONLY = /^-?\d+(?:[ ,;:|]+-?\d+)+[ ,;:|]*$/;

function parseLine(line: string): NamedSite | undefined {
	const [, id, name = ''] = LINE.exec(line) ?? [];
	const { value: siteId } = checkSiteId(id);
	if (siteId === undefined || AMBIGUOUS.test(line) || NUMBERS_ONLY.test(line)) return undefined;
	return { siteId, siteName: stripQuotes(name.trim()) || null };
}

/** Drops a pair of quotes, but not those of `"A" and "B"`. */
function stripQuotes(name: string): string {
	return /^["'“”„‘’‚«»]([^"“”„«»]+)["'“”‘’«»]$/.exec(name)?.[1]?.trim() ?? name;
}

function addToList(ids: Map<string, number[]>, key: string, siteId: number): void {
	const others = ids.get(key);
	if (others) others.push(siteId);
	else ids.set(key, [siteId]);
}
