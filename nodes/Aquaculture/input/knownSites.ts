import { siteLabel, type SiteRef } from '../service/site';
import { parseKnownSites, type ParsedKnownSites } from './parseKnownSites';
import { accentlessKey, nameKey } from './nameKeys';

/** The sites of a credential, by ID, and by name or label. */
export class KnownSites {
	readonly unusableLines: ParsedKnownSites['unusableLines'];
	private readonly sites: ParsedKnownSites['sites'];
	/** IDs by the keys of names and labels. */
	private readonly idsByName = new Map<string, number[]>();
	private readonly idsByAccentlessName = new Map<string, number[]>();

	constructor(input: unknown) {
		const { sites, unusableLines } = parseKnownSites(input);
		this.sites = sites;
		this.unusableLines = unusableLines;
		for (const site of this.sites.values()) {
			const names = site.siteName === null ? [] : [site.siteName, siteLabel(site)];
			for (const name of names) {
				addToList(this.idsByName, nameKey(name), site.siteId);
				addToList(this.idsByAccentlessName, accentlessKey(name), site.siteId);
			}
		}
	}

	get isEmpty(): boolean {
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
		const exact = this.idsByName.get(nameKey(text));
		if (exact) return exact;
		const accentless = this.idsByAccentlessName.get(accentlessKey(text)) ?? [];
		return accentless.length === 1 ? accentless : [];
	}
}

function addToList(ids: Map<string, number[]>, key: string, siteId: number): void {
	const others = ids.get(key);
	if (others) others.push(siteId);
	else ids.set(key, [siteId]);
}
