import { stripInvisible } from './values';

/* Keys by which names of sites are compared. */

/** The straight apostrophe, and those that programs, phones and people put in its place. */
const APOSTROPHES = /['\u2018\u2019\u201b\u2032\u02b9\u02bb\u02bc\u00b4`\uff07]/g;
/** Some programs write a dash as a minus sign (U+2212). */
const DASHES = /[\p{Pd}\u2212]/gu;

/**
 * Returns the same key for names that differ only in case, spaces, invisible characters, the composition or width of
 * characters, or the kind of apostrophe or dash. `ß` is `ss`, its capital form.
 */
export function nameKey(name: string): string {
	return stripInvisible(name)
		.toLowerCase()
		.replace(APOSTROPHES, "'")
		.replace(DASHES, '-')
		.normalize('NFKC')
		.replace(/ß/g, 'ss')
		.replace(/\s+/g, ' ')
		.trim();
}

/** The Nordic, Sámi and French letters that Unicode does not decompose. */
const PLAIN_LETTERS: Record<string, string> = {
	...{ æ: 'ae', đ: 'd', ð: 'd', ŋ: 'n', ø: 'o', œ: 'oe', þ: 'th', ŧ: 't' },
};
const PLAIN_LETTER_KEYS = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'g');

/** Also returns the same key for names that differ in accents: `storvagen` finds Storvågen. */
export function accentlessKey(name: string): string {
	return nameKey(name)
		.normalize('NFD')
		.replace(/\p{M}/gu, '')
		.replace(PLAIN_LETTER_KEYS, (letter) => PLAIN_LETTERS[letter] ?? letter);
}
