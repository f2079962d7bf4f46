import { siteUrl } from '../../../api/endpoints';
import { checkSite, type Site } from '../../../api/site';
import { requestJson, type Answer, type Outcome, type Transport } from './request';

/** One site to read. */
export interface SiteRequest {
	siteId: number;
	/** Values of `$include`, in wire order. */
	includes: readonly string[];
	/** Value of the version header, where it is not the credential's. */
	dataVersion?: string | undefined;
}

/**
 * Sends one request for a site (interface document, "GET {base_url}/meta/sites/{site_id}").
 *
 * @param timeoutMs time for the whole answer, in milliseconds.
 */
export async function readSite(
	transport: Transport,
	{ siteId, includes, dataVersion }: SiteRequest,
	timeoutMs: number,
): Promise<Outcome<Answer<Site>>> {
	const { baseUrl, versionHeader } = transport.connection;
	return await requestJson(transport, {
		url: siteUrl(baseUrl, siteId, includes),
		headers: dataVersion === undefined ? {} : { [versionHeader]: dataVersion },
		timeoutMs,
		subject: siteSubject(siteId),
		check: (json) => checkSite(json, siteId),
	});
}

/** A site as it stands in a sentence. */
export function siteSubject(siteId: number): string {
	return `site ${siteId}`;
}
