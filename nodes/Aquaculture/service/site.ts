import type { ServiceDocument } from './response';
import type { Site } from './siteSchema';

export type { Site, SiteInfo, Unit } from './siteSchema';

/** The documented values of `$include` (docs/service-interface.md, "GET {base_url}/meta/sites/{site_id}"), in wire order. */
export const SITE_INCLUDES = ['units', 'info'] as const;

/** The values of `$include` for a site, each once: the documented ones in wire order, then any others. */
export function includesOf(
	wanted: Record<(typeof SITE_INCLUDES)[number], boolean>,
	others: readonly string[] = [],
): string[] {
	return [...new Set([...SITE_INCLUDES.filter((include) => wanted[include]), ...others])];
}

/** A site as people and items name it. */
export interface NamedSite {
	siteId: number;
	/** The name by which it is known, from the credential or the service's list; null if there is none. */
	siteName: string | null;
}

/** "Storvågen (1001)", or the ID alone. */
export function labelOf({ siteId, siteName }: NamedSite): string {
	return siteName ? `${siteName} (${siteId})` : String(siteId);
}

/**
 * One site. `$include` is left out when nothing is to be included; its commas and its dollar sign are not encoded, as
 * in docs/service-interface.md, and each value is encoded by itself.
 */
export function siteDocument(site: NamedSite, includes: readonly string[]): ServiceDocument<Site> {
	const query =
		includes.length === 0 ? '' : `?$include=${includes.map(encodeURIComponent).join(',')}`;
	return {
		path: `/meta/sites/${site.siteId}${query}`,
		subject: `site ${labelOf(site)}`,
		async check(body) {
			const { checkSite } = await import('./siteSchema');
			return checkSite(body, site.siteId);
		},
	};
}
