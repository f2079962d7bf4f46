/**
 * Parses an address, or returns undefined. It does not use `URL.canParse`, which after many calls rejects host names with letters
 * such as å (Node.js 20.20 and 22.23).
 */
export function parseUrl(address: string): URL | undefined {
	try {
		return new URL(address);
	} catch {
		return undefined;
	}
}
