import { distance } from 'fastest-levenshtein';
import {
	hasName,
	listLabel,
	nameKey,
	type KnownSite,
	type KnownSites,
} from '../../../shared/knownSites';

/** A site that a field names. */
export interface NamedSite {
	siteId: number;
	/** The name by which the credential knows it; null where it knows none. */
	siteName: string | null;
}

/** Longer names are not compared by their spelling. */
const MAX_COMPARED_CHARACTERS = 100;
/** Fewer characters are in too many names by chance. */
const MIN_PART_CHARACTERS = 3;
const CHARACTERS_PER_EDIT = 4;
const MAX_SIMILAR = 3;

/** The known sites of a credential, found by what people and items call them. */
export class KnownSiteIndex {
	private readonly names: ReadonlyMap<number, string>;

	private readonly idsByText: ReadonlyMap<string, readonly number[]>;

	/** The names in the form in which they are compared. */
	private readonly nameKeys: ReadonlyMap<string, string>;

	constructor(private readonly known: KnownSites) {
		const { sites } = known;
		this.names = new Map(sites.filter(hasName).map(({ siteId, name }) => [siteId, name]));
		this.idsByText = indexOf(sites);
		this.nameKeys = new Map(sites.filter(hasName).map(({ name }) => [nameKey(name), name]));
	}

	/** In the order of the lines. */
	get sites(): NamedSite[] {
		return this.known.sites.map(({ siteId }) => this.named(siteId));
	}

	/** The site of this ID, with its name. */
	named(siteId: number): NamedSite {
		return { siteId, siteName: this.names.get(siteId) ?? null };
	}

	/** The IDs of the sites that have this name, or else this label in n8n's lists, or else this ID. */
	find(text: string): readonly number[] {
		return this.idsByText.get(nameKey(text)) ?? [];
	}

	/**
	 * Known names that are spelled much like a text, or contain it or are contained in it, the most similar first. None for
	 * a text without letters: the next number is another site.
	 */
	similarNames(text: string): string[] {
		if (text.length > MAX_COMPARED_CHARACTERS || !/\p{L}/u.test(text)) return [];
		const key = nameKey(text);
		return [...this.nameKeys]
			.map(([known, name]) => ({ name, edits: editsBetween(key, known) }))
			.filter(({ edits }) => edits !== undefined)
			.sort((one, other) => Number(one.edits) - Number(other.edits))
			.slice(0, MAX_SIMILAR)
			.map(({ name }) => name);
	}
}

/** A name hides a label of the same spelling, and a label an ID. */
function indexOf(sites: readonly KnownSite[]): Map<string, readonly number[]> {
	const byName = new Map<string, number[]>();
	for (const { siteId, name } of sites) {
		const key = nameKey(name);
		byName.set(key, [...(byName.get(key) ?? []), siteId]);
	}
	return new Map<string, readonly number[]>([
		...sites.map(({ siteId }) => [String(siteId), [siteId]] as const),
		...sites.map((site) => [nameKey(listLabel(site)), [site.siteId]] as const),
		...byName,
	]);
}

/** How many characters differ; undefined where two texts are not similar. */
function editsBetween(one: string, other: string): number | undefined {
	const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
	if (longer.length > MAX_COMPARED_CHARACTERS) return undefined;
	if (shorter.length >= MIN_PART_CHARACTERS && longer.includes(shorter)) return 0;
	const allowed = Math.max(1, Math.floor(longer.length / CHARACTERS_PER_EDIT));
	if (longer.length - shorter.length > allowed) return undefined;
	const edits = distance(one, other);
	return edits <= allowed ? edits : undefined;
}
