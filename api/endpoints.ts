/** The documented values of `$include` (interface document, "GET {base_url}/meta/sites/{site_id}"), in wire order. */
export const SITE_INCLUDES = ['units', 'info'] as const;

export const TOKEN_PATH = '/auth/token';

/** Address of the token endpoint under a base URL without trailing slash. */
export function tokenUrl(baseUrl: string): string {
	return baseUrl + TOKEN_PATH;
}

/**
 * Address of one site. `$include` is left out when nothing is to be included; its commas and its dollar sign stand
 * literally, as in the document, and each value is encoded by itself.
 */
export function siteUrl(baseUrl: string, siteId: number, includes: readonly string[]): string {
	const address = `${baseUrl}/meta/sites/${siteId}`;
	if (includes.length === 0) return address;
	return `${address}?$include=${includes.map(encodeURIComponent).join(',')}`;
}
