import { distance } from 'fastest-levenshtein';
import {
	hasName,
	listLabel,
	nameKey,
	type KnownSiteFault,
	type KnownSites,
} from '../../../shared/knownSites';
import { searchKey } from './searchKey';

/** A site that a field names. */
export interface NamedSite {
	siteId: number;
	/** The name by which it is known, from the credential or the service's list; null where there is none. */
	siteName: string | null;
}

/** Longer names are not compared by their spelling. */
const MAX_COMPARED_CHARACTERS = 100;
/** Fewer characters are in too many names by chance. */
const MIN_PART_CHARACTERS = 3;
const CHARACTERS_PER_EDIT = 4;
const MAX_SIMILAR = 3;

/** The sites of a credential and of the service's list, found by what people and items call them. */
export class KnownSiteIndex {
	private readonly names: ReadonlyMap<number, string>;

	/** Made when it is first needed: most runs look nothing up. */
	private idsByText: ReadonlyMap<string, readonly number[]> | undefined;

	/** Made when it is first needed, too. */
	private spellings: ReadonlyArray<Spelling & { name: string }> | undefined;

	/** @param isWhole whether no list of the service is still to be read. */
	constructor(
		private readonly known: KnownSites,
		readonly isWhole = true,
	) {
		const named = known.sites.filter(hasName);
		this.names = new Map(named.map(({ siteId, name }) => [siteId, name]));
	}

	/** In the order of the lines. */
	get sites(): NamedSite[] {
		return this.known.sites.map(({ siteId }) => this.named(siteId));
	}

	/** The lines that cannot be used, so that their sites are not known. */
	get linesLeftOut(): readonly KnownSiteFault[] {
		return this.known.faults.filter(({ isLeftOut }) => isLeftOut);
	}

	/** The site of this ID, with its name. */
	named(siteId: number): NamedSite {
		return { siteId, siteName: this.names.get(siteId) ?? null };
	}

	/** The IDs of the sites that have this name, or else this label in n8n's lists, or else this ID. */
	find(text: string): readonly number[] {
		this.idsByText ??= indexOf(this.known);
		return this.idsByText.get(nameKey(text)) ?? [];
	}

	/**
	 * Known names that are spelled much like a text, or contain it or are contained in it, the most similar first. None for
	 * a text without letters: the next number is another site.
	 */
	similarNames(text: string): string[] {
		if (text.length > MAX_COMPARED_CHARACTERS || !/\p{L}/u.test(text)) return [];
		this.spellings ??= [...this.names.values()].map((name) => ({ ...spellingOf(name), name }));
		const typed = spellingOf(text);
		const similar: Array<{ name: string; edits: number }> = [];
		for (const known of this.spellings) {
			const edits = editsBetween(typed, known);
			if (edits !== undefined) similar.push({ name: known.name, edits });
		}
		similar.sort((one, other) => one.edits - other.edits);
		return [...new Set(similar.map(({ name }) => name))].slice(0, MAX_SIMILAR);
	}
}

/** A name hides a label of the same spelling, and a label an ID. */
function indexOf({ sites, otherNames = [] }: KnownSites): Map<string, readonly number[]> {
	const byName = new Map<string, number[]>();
	for (const { siteId, name } of [...sites, ...otherNames]) {
		const key = nameKey(name);
		const namesakes = byName.get(key);
		if (namesakes?.includes(siteId)) continue;
		if (namesakes) namesakes.push(siteId);
		else byName.set(key, [siteId]);
	}
	return new Map<string, readonly number[]>([
		...sites.map(({ siteId }) => [String(siteId), [siteId]] as const),
		...sites.map((site) => [nameKey(listLabel(site)), [site.siteId]] as const),
		...byName,
	]);
}

/** A name as it is compared with others. */
interface Spelling {
	key: string;
	/** How often the characters of each group occur in it. */
	counts: Uint8Array;
}

const GROUPS = 32;

function spellingOf(name: string): Spelling {
	const key = searchKey(name);
	const counts = new Uint8Array(GROUPS);
	for (let index = 0; index < Math.min(key.length, MAX_COMPARED_CHARACTERS); index++) {
		const group = key.charCodeAt(index) % GROUPS;
		counts[group] = (counts[group] ?? 0) + 1;
	}
	return { key, counts };
}

/** How many characters differ; undefined where two names are not similar. */
function editsBetween(one: Spelling, other: Spelling): number | undefined {
	const [shorter, longer] = one.key.length < other.key.length ? [one, other] : [other, one];
	if (longer.key.length > MAX_COMPARED_CHARACTERS) return undefined;
	if (shorter.key.length >= MIN_PART_CHARACTERS && longer.key.includes(shorter.key)) return 0;
	const allowed = Math.max(1, longer.key.length / CHARACTERS_PER_EDIT);
	if (surplus(longer, shorter) > allowed) return undefined;
	const edits = distance(one.key, other.key);
	return edits <= allowed ? edits : undefined;
}

/** How many characters a name has beyond those of another one, at least: a cheap bound of their distance. */
function surplus({ counts }: Spelling, other: Spelling): number {
	let characters = 0;
	for (let group = 0; group < GROUPS; group++) {
		const more = (counts[group] ?? 0) - (other.counts[group] ?? 0);
		if (more > 0) characters += more;
	}
	return characters;
}
