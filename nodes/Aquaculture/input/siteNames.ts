import { stripInvisible } from './values';

/* Keys by which names of sites are compared. */

/** Returns the same key for names that differ only in case, spaces, invisible characters or the composition of letters. */
export function nameKey(name: string): string {
	return stripInvisible(name).toLowerCase().normalize('NFC').replace(/\s+/g, ' ').trim();
}

/** Unicode does not decompose these letters. */
const PLAIN_LETTERS: Record<string, string> = {
	æ: 'ae',
	đ: 'd',
	ð: 'd',
	ı: 'i',
	ł: 'l',
	ŋ: 'n',
	ø: 'o',
	þ: 'th',
};
const PLAIN_LETTER_KEYS = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'g');

/** Also returns the same key for names that differ in accents: `storvagen` finds Storvågen. */
export function accentlessKey(name: string): string {
	return nameKey(name)
		.normalize('NFD')
		.replace(/\p{M}/gu, '')
		.replace(PLAIN_LETTER_KEYS, (letter) => PLAIN_LETTERS[letter] ?? letter);
}
