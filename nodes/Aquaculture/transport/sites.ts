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
	/** Time for the whole answer, in milliseconds. */
	timeoutMs: number;
}

/** Reads one site (interface document, "GET {base_url}/meta/sites/{site_id}"). */
export async function readSite(
	transport: Transport,
	{ siteId, includes, dataVersion, timeoutMs }: SiteRequest,
): Promise<Outcome<Answer<Site>>> {
	const { baseUrl, versionHeader } = transport.connection;
	return await requestJson(transport, {
		url: siteUrl(baseUrl, siteId, includes),
		headers: dataVersion === undefined ? {} : { [versionHeader]: dataVersion },
		timeoutMs,
		subject: `site ${siteId}`,
		check: (json) => checkSite(json, siteId),
	});
}
