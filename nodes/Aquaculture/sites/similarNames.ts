import { distance } from 'fastest-levenshtein';
import { searchKey } from './searchKey';

/** Longer names are not compared by their spelling. */
const MAX_COMPARED_CHARACTERS = 100;
/** More names are not compared: it would take as long as requests. */
const MAX_NAMES = 1000;
/** For how many unknown texts similar names are looked for. */
const MAX_TEXTS = 20;
/** Fewer characters are in too many names by chance. */
const MIN_PART_CHARACTERS = 3;
const CHARACTERS_PER_EDIT = 4;
const MAX_SIMILAR = 3;

/** Finds names that were probably meant. */
export class SimilarNames {
	private texts = 0;

	/**
	 * Names that are spelled much like a text, or contain it or are contained in it, the most similar first. None for a text
	 * without letters: the next number is another site.
	 */
	to(text: string, names: readonly string[]): string[] {
		const key = searchKey(text.slice(0, MAX_COMPARED_CHARACTERS + 1));
		if (names.length > MAX_NAMES || key.length > MAX_COMPARED_CHARACTERS) return [];
		if (!/\p{L}/u.test(text) || ++this.texts > MAX_TEXTS) return [];
		const similar = names
			.map((name) => ({ name, edits: editsBetween(key, searchKey(name)) }))
			.filter(({ edits }) => edits < Infinity)
			.sort((one, other) => one.edits - other.edits);
		return [...new Set(similar.map(({ name }) => name))].slice(0, MAX_SIMILAR);
	}
}

/** How many characters differ; Infinity if two names are not similar. */
function editsBetween(one: string, other: string): number {
	const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
	if (longer.length > MAX_COMPARED_CHARACTERS) return Infinity;
	if (shorter.length >= MIN_PART_CHARACTERS && longer.includes(shorter)) return 0;
	const allowed = Math.max(1, longer.length / CHARACTERS_PER_EDIT);
	if (longer.length - shorter.length > allowed) return Infinity;
	const edits = distance(one, other);
	return edits <= allowed ? edits : Infinity;
}
