/** A site that a field names. */
export interface NamedSite {
	siteId: number;
	/** The name by which it is known, from the credential or the service's list; null if there is none. */
	siteName: string | null;
}

/** A part of what was typed, and the sites that it may mean: none if it is unknown, several if they share a name. */
export interface ListEntry {
	typed: unknown;
	sites: readonly NamedSite[];
}

/** Says which sites there are. */
export interface Finder {
	/** The sites of this name, label or ID. */
	find(text: string): readonly NamedSite[];
	/** The site of an ID. */
	named(siteId: number): NamedSite;
}

/** Whether an entry may mean a site. */
export function isKnown({ sites }: ListEntry): boolean {
	return sites.length > 0;
}
