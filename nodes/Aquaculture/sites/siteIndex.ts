import { hasName, listLabel, nameKey, type KnownSite } from '../../../account/knownSites';
import { searchKey } from './searchKey';

/** Sites, found by what people and items call them. */
export class SiteIndex {
	private readonly nameOfId: ReadonlyMap<number, string | null>;

	/** Both are made when they are first needed: most runs look nothing up. */
	private byText: ReadonlyMap<string, readonly number[]> | undefined;

	private byPlainName: ReadonlyMap<string, readonly number[]> | undefined;

	constructor(private readonly indexed: readonly KnownSite[]) {
		this.nameOfId = new Map(
			indexed.map((site) => [site.siteId, hasName(site) ? site.name : null] as const),
		);
	}

	/** In their order. */
	get siteIds(): number[] {
		return [...this.nameOfId.keys()];
	}

	/** The name of a site; null if it has none, or is not here. */
	nameOf(siteId: number): string | null {
		return this.nameOfId.get(siteId) ?? null;
	}

	/** The IDs of the sites that have this name, or else this label in n8n's lists, or else this ID. */
	find(text: string): readonly number[] {
		this.byText ??= new Map<string, readonly number[]>([
			...this.indexed.map(({ siteId }) => [String(siteId), [siteId]] as const),
			...this.indexed.map((site) => [nameKey(listLabel(site)), [site.siteId]] as const),
			...idsBy(this.indexed, ({ name }) => nameKey(name)),
		]);
		return this.byText.get(nameKey(text)) ?? [];
	}

	/** The IDs of the sites whose name is this one, without accents in both. */
	findPlain(text: string): readonly number[] {
		this.byPlainName ??= idsBy(this.indexed.filter(hasName), ({ name }) => searchKey(name));
		return this.byPlainName.get(searchKey(text)) ?? [];
	}
}

function idsBy(
	sites: readonly KnownSite[],
	keyOf: (site: KnownSite) => string,
): Map<string, number[]> {
	const ids = new Map<string, number[]>();
	for (const site of sites) {
		const key = keyOf(site);
		const namesakes = ids.get(key);
		if (namesakes) namesakes.push(site.siteId);
		else ids.set(key, [site.siteId]);
	}
	return ids;
}
