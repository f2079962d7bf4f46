/**
 * The parsed address; undefined if the text is not an address. `URL.canParse` cannot be used: after many calls, it
 * rejects host names with a letter such as å (Node.js 20.20 and 22.23).
 */
export function parseUrl(address: string, base?: string): URL | undefined {
	try {
		return new URL(address, base);
	} catch {
		return undefined;
	}
}
