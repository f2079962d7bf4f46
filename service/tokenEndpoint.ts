/** Path of the token endpoint under the base URL (docs/service-interface.md, "POST {base_url}/auth/token"). */
export const TOKEN_PATH = '/auth/token';

/** Address of the token endpoint under a base URL without trailing slash. */
export function tokenUrl(baseUrl: string): string {
	return baseUrl + TOKEN_PATH;
}
