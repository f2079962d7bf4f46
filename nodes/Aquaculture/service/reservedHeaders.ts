/**
 * Headers that only n8n and this package set: `Authorization`; `Host`, by which proxies route; `Content-Length`, which allows
 * request smuggling; and the hop-by-hop headers (RFC 9110, 7.6.1).
 */
const RESERVED = [
	'authorization',
	'connection',
	'content-length',
	'host',
	'keep-alive',
	'proxy-authorization',
	'proxy-connection',
	'te',
	'trailer',
	'transfer-encoding',
	'upgrade',
];

/** Headers that describe a request, so the version cannot have their names. */
const DESCRIPTIVE = ['accept', 'content-type', 'cookie'];

/** Returns whether a node may not set this header. */
export function isReservedHeader(name: string): boolean {
	return RESERVED.includes(name.trim().toLowerCase());
}

/** Returns whether a request needs this header for something else than the version. */
export function isHeaderInUse(name: string): boolean {
	return isReservedHeader(name) || DESCRIPTIVE.includes(name.toLowerCase());
}
