import { distance } from 'fastest-levenshtein';
import { systemClock } from '../account/clock';
import { hasName, listLabel, nameKey, readKnownSites, type KnownSite } from './knownSites';
import type { Failure } from '../service/failures';
import type { NamedSite } from '../service/site';
import type { SiteList } from '../service/siteList';
import { MINUTE_MS } from '../messages/duration';
import type { LeftOutLine } from '../messages/messages';

/** A list younger than this is not asked for again, even if it lacks a name that somebody uses. */
export const FRESH_MS = MINUTE_MS;

/** Finds sites by what they are called. */
export interface LookUp {
	/** The site of this ID, with the name that it was entered with. */
	named(siteId: number): NamedSite;
	/** The sites that a text may mean: none if it is unknown, several if they share a name. */
	find(text: string): NamedSite[];
}

/**
 * The sites that a run or a poll knows: those entered in 'Known Sites' of the credential, then those of the service's list,
 * once it is loaded. Look-ups ask the service for nothing; {@link wantsList} says whether one of them has missed the list.
 */
export class Sites implements LookUp {
	/** The lines of 'Known Sites' that cannot be used, so that their sites are not known. */
	readonly linesLeftOut: readonly LeftOutLine[];

	/** Those of 'Known Sites' alone. */
	readonly entered: LookUp = {
		named: (siteId) => this.named(siteId),
		find: (text) => this.sitesOf(this.enteredIndex.byText.get(nameKey(text))),
	};

	private readonly enteredIndex: Index;

	private listed: Index | undefined;

	/** When the list that is used was read, by the clock of accounts. */
	listReadAt = -Infinity;

	/** The list that is used; undefined as long as it was not needed. */
	list: SiteList | undefined;

	/** Why the list could not be read. */
	failure: Failure | undefined;

	/** How many look-ups in what is known now could have found something in the list, or in a newer one. */
	misses = 0;

	/** @param hasList whether the service's list is one of the sources. */
	constructor(
		knownSites: unknown,
		readonly hasList: boolean,
	) {
		const { sites, leftOut } = readKnownSites(knownSites);
		this.enteredIndex = indexOf(sites);
		this.linesLeftOut = leftOut;
	}

	/** Whether no site can be known. */
	get isEmpty(): boolean {
		return !this.hasList && this.enteredIndex.names.size === 0;
	}

	/** Whether the list is to be loaded, and what was looked up to be looked up again. */
	get wantsList(): boolean {
		const isFresh = systemClock.now() - this.listReadAt < FRESH_MS;
		return this.misses > 0 && this.hasList && !this.failure && !isFresh;
	}

	use(list: SiteList, readAt: number): void {
		this.misses = 0;
		this.list = list;
		this.listed = indexOf(list.sites);
		this.listReadAt = readAt;
	}

	named(siteId: number): NamedSite {
		return { siteId, siteName: this.enteredIndex.names.get(siteId) ?? null };
	}

	/** All sites: those entered, then the others of the list. None as long as the list is missed. */
	all(): NamedSite[] {
		if (this.lacksList) {
			this.misses += 1;
			return [];
		}
		const siteIds = new Set(this.indexes.flatMap(({ names }) => [...names.keys()]));
		return this.sitesOf([...siteIds]);
	}

	/**
	 * The sites of this name, or else of this label in n8n's lists, or else of this ID: entered ones, or else listed ones. At
	 * last a name without accents counts, if exactly one site fits.
	 */
	find(text: string): NamedSite[] {
		const entered = this.entered.find(text);
		if (entered.length > 0) return entered;
		const listed = this.listed?.byText.get(nameKey(text));
		if (listed) return this.sitesOf(listed);
		this.misses += 1;
		if (this.lacksList) return [];
		const plain = this.indexes.flatMap(({ byPlainName }) => byPlainName.get(searchKey(text)) ?? []);
		const siteIds = [...new Set(plain)];
		return siteIds.length === 1 ? this.sitesOf(siteIds) : [];
	}

	/** Names that were probably meant. None for a text without letters: the next number is another site. */
	similarNames(text: string): string[] {
		const LONGEST = 100;
		if (text.length > LONGEST || !/\p{L}/u.test(text)) return [];
		const key = searchKey(text);
		const names = this.indexes.flatMap((index) =>
			[...index.names.values()].flatMap((name) => name ?? []),
		);
		const similar = [...new Set(names)]
			.filter((name) => name.length <= LONGEST)
			.map((name) => ({ name, edits: editsBetween(key, searchKey(name)) }))
			.filter(({ edits }) => edits < Infinity)
			.sort((one, other) => one.edits - other.edits);
		return similar.slice(0, 3).map(({ name }) => name);
	}

	private get lacksList(): boolean {
		return this.hasList && !this.listed;
	}

	/** In the order in which they count. */
	private get indexes(): Index[] {
		return this.listed ? [this.enteredIndex, this.listed] : [this.enteredIndex];
	}

	private sitesOf(siteIds: readonly number[] = []): NamedSite[] {
		return siteIds.map((siteId) => {
			const names = this.indexes.map((index) => index.names.get(siteId));
			return { siteId, siteName: names.find((name) => name) ?? null };
		});
	}
}

/** Sites by what people and items call them. */
interface Index {
	/** By their IDs, in their order; null for a site without a name. */
	names: ReadonlyMap<number, string | null>;
	/** The IDs by name, or else by the label in n8n's lists, or else by the ID itself. */
	byText: ReadonlyMap<string, readonly number[]>;
	byPlainName: ReadonlyMap<string, readonly number[]>;
}

function indexOf(sites: readonly KnownSite[]): Index {
	return {
		names: new Map(sites.map((site) => [site.siteId, hasName(site) ? site.name : null])),
		byText: new Map<string, readonly number[]>([
			...sites.map(({ siteId }) => [String(siteId), [siteId]] as const),
			...sites.map((site) => [nameKey(listLabel(site)), [site.siteId]] as const),
			...idsBy(sites, ({ name }) => nameKey(name)),
		]),
		byPlainName: idsBy(sites.filter(hasName), ({ name }) => searchKey(name)),
	};
}

function idsBy(
	sites: readonly KnownSite[],
	keyOf: (site: KnownSite) => string,
): Map<string, number[]> {
	const ids = new Map<string, number[]>();
	for (const site of sites) {
		const namesakes = ids.get(keyOf(site));
		if (namesakes) namesakes.push(site.siteId);
		else ids.set(keyOf(site), [site.siteId]);
	}
	return ids;
}

/** Letters that Unicode does not take apart into one without accent and an accent. */
const WITHOUT_ACCENT: Record<string, string> = {
	...{ æ: 'ae', đ: 'd', ð: 'd', ħ: 'h', ł: 'l', ŋ: 'n', ø: 'o', œ: 'oe', þ: 'th', ŧ: 't' },
};

/** What a name is searched by: without regard to case and accents, so that `storvag` finds Storvågen. */
export function searchKey(text: string): string {
	return nameKey(text)
		.normalize('NFD')
		.replace(/[\u0300-\u036f]/g, '')
		.replace(/\p{L}/gu, (letter) => WITHOUT_ACCENT[letter] ?? letter);
}

/** How many characters differ; Infinity if two names are not similar. */
function editsBetween(one: string, other: string): number {
	const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
	if (shorter.length >= 3 && longer.includes(shorter)) return 0;
	const allowed = Math.max(1, longer.length / 4);
	if (longer.length - shorter.length > allowed) return Infinity;
	const edits = distance(one, other);
	return edits <= allowed ? edits : Infinity;
}
