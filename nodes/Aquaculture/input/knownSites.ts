import type { Lines } from '../messages/phrases';
import { siteLabel, type SiteRef } from '../service/site';
import { readLines } from './knownSitesLines';
import { accentlessKey, nameKey } from './nameKeys';
import { checkRawText } from './values';

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
