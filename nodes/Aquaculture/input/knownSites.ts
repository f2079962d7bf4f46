import type { Lines } from '../messages/phrases';
import { siteLabel, type SiteRef } from '../service/site';
import { readLines } from './knownSitesLines';
import { checkRawText, stripInvisible } from './values';

/** The sites of a credential, by ID, and by name or label. */
export class KnownSites {
	/** The lines that add no site: those that are not an ID and a name, and those with the ID of another line and another name. */
	readonly unusableLines: Array<Lines[number]> = [];
	private readonly sites = new Map<number, SiteRef>();
	/** Names and labels, by their keys without accents. */
	private readonly names = new Map<string, Array<{ key: string; siteId: number }>>();

	/** @param input the field 'Known Sites': a site on each line, and perhaps a first line of headings. */
	constructor(input: unknown) {
		for (const { line, text, site } of readLines(checkRawText(input).value ?? '')) {
			if (!site || !this.add(site)) this.unusableLines.push({ line, text });
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
		.replace(APOSTROPHES, "'")
		.replace(DASHES, '-')
		.normalize('NFKC')
		.toLowerCase()
		.replace(/ß/g, 'ss')
		.replace(/\s+/g, ' ')
		.trim();
}

/** The Nordic, Sámi and French letters that Unicode does not decompose. */
const PLAIN_LETTERS: Record<string, string> = {
	æ: 'ae',
	đ: 'd',
	ð: 'd',
	ŋ: 'n',
	ø: 'o',
	œ: 'oe',
	þ: 'th',
	ŧ: 't',
};
const PLAIN_LETTER_KEYS = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'g');

/** Also returns the same key for names that differ in accents: `storvagen` finds Storvågen. */
export function accentlessKey(name: string): string {
	return nameKey(name)
		.normalize('NFD')
		.replace(/\p{M}/gu, '')
		.replace(PLAIN_LETTER_KEYS, (letter) => PLAIN_LETTERS[letter] ?? letter);
}
