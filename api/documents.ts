import type { Checked } from './checked';
import { checkSite, type Site } from './site';

/** A document of the service. */
export interface ServiceDocument<T> {
	/** Where it lies under the base URL. */
	path: string;
	/** What it is about, as it stands in a sentence: "site 1001". */
	subject: string;
	/** Checks a parsed response body against the contract. */
	check(body: unknown): Checked<T>;
}

/**
 * One site. `$include` is left out when nothing is to be included; its commas and its dollar sign stand literally, as
 * in the interface document, and each value is encoded by itself.
 */
export function siteDocument(siteId: number, includes: readonly string[]): ServiceDocument<Site> {
	const query =
		includes.length === 0 ? '' : `?$include=${includes.map(encodeURIComponent).join(',')}`;
	return {
		path: `/meta/sites/${siteId}${query}`,
		subject: `site ${siteId}`,
		check: (body) => checkSite(body, siteId),
	};
}
