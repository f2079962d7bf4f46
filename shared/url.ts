/**
 * The address in a text; undefined where it is none. `URL.canParse` is of no use here: once it has been called often, it
 * takes a host name with a letter such as å for none (Node.js 20.20 and 22.23).
 */
export function parseUrl(address: string, base?: string): URL | undefined {
	try {
		return new URL(address, base);
	} catch {
		return undefined;
	}
}
