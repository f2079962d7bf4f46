import { documentSubject, type Subject } from '../messages/failure';
import { truncate } from '../messages/phrases';
import { isObject, isObjectList, type JsonObject } from './body';
import { SITES_PATH } from './constants';
import type { ServiceDocument } from './answer';

export type { Site, SiteInfo, Unit } from './siteSchema';

/** A site as the service sent it: any field may be missing, or have another type than documented. */
export type RawSite = JsonObject;

/** The sections of a site, which the service sends only on request: the documented values of `$include`. */
export const SECTIONS = ['units', 'info'] as const;

/** Returns the sections of a site; null for one that is missing, or has another type than documented. */
export function getSections({ info, units }: RawSite) {
	return { info: isObject(info) ? info : null, units: isObjectList(units) ? units : null };
}

/** Returns the values of `$include`, each once: first the documented ones, then any others. */
export function buildIncludes(
	wanted: Record<(typeof SECTIONS)[number], boolean>,
	others: readonly string[] = [],
): string[] {
	return [...new Set([...SECTIONS.filter((include) => wanted[include]), ...others])];
}

/** A site that a field names. */
export interface SiteRef {
	siteId: number;
	/** The name in 'Known Sites'; null if there is none. */
	siteName: string | null;
}

/** Returns "Storvågen (1001)", or the ID alone. */
export function siteLabel({ siteId, siteName }: SiteRef): string {
	return siteName ? `${siteName} (${siteId})` : String(siteId);
}

/** Cut longer names in messages. With any ID, the label stays within what messages show of a name (`listNames`). */
const MAX_NAME_CHARACTERS = 80;

/** Returns the label with a name of readable length. The ID is never cut. */
export function shortSiteLabel({ siteId, siteName }: SiteRef): string {
	return siteLabel({ siteId, siteName: siteName && truncate(siteName, MAX_NAME_CHARACTERS) });
}

/** Names a site in messages: "site Storvågen (1001)". */
export function siteSubject(site: SiteRef): Subject {
	return documentSubject(`site ${shortSiteLabel(site)}`);
}

/**
 * Describes the request for a site. The dollar sign and the commas of `$include` stay unencoded, as in the examples of the
 * service's documentation.
 */
export function siteDocument(site: SiteRef, includes: readonly string[]): ServiceDocument<RawSite> {
	const query =
		includes.length === 0 ? '' : `?$include=${includes.map(encodeURIComponent).join(',')}`;
	return {
		path: `${SITES_PATH}/${site.siteId}${query}`,
		subject: siteSubject(site),
		async check(body) {
			const { readSite } = await import('./siteSchema');
			return readSite(body, site.siteId);
		},
	};
}
