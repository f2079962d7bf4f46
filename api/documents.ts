import type { Checked } from './checked';
import { checkSite, type Site } from './site';

/** What documents of a kind are called in a sentence. */
export interface Kind {
	one: string;
	many: string;
}

/** A document of the service. */
export interface ServiceDocument<T> {
	/** Where it lies under the base URL. */
	path: string;
	/** What it is about, as part of a sentence: "site 1001". */
	subject: string;
	/** What such documents are called in a sentence. */
	kind: Kind;
	/** Checks a parsed response body; a fault is the end of the sentence "The answer for site 1001 cannot be used: …". */
	check(body: unknown): Checked<T>;
}

const SITE: Kind = { one: 'site', many: 'sites' };

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
		kind: SITE,
		check: (body) => checkSite(body, siteId),
	};
}
