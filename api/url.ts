/**
 * The address in a text; undefined where it is none. (`URL.canParse` is of no use here: once it is called often, Node.js
 * 20 takes an address with a letter such as å for none.)
 */
export function parseUrl(address: string, base?: string): URL | undefined {
	try {
		return new URL(address, base);
	} catch {
		return undefined;
	}
}
