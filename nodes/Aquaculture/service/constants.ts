/* Names and facts that several folders need. This file imports nothing, because n8n's start loads it with the credential. */

/** The name of the credential in n8n. Credential and nodes spell it out, because n8n's lint rules read it there. */
export const CREDENTIAL_TYPE = 'aquacultureApi';

/** Where username and password are exchanged for a token, below the base URL. */
export const TOKEN_PATH = '/auth/token';

/** Where sites are, below the base URL. */
export const SITES_PATH = '/meta/sites';

/** A placeholder: the real name of the header begins with the name of the service, which the operator tells. */
export const DEFAULT_VERSION_HEADER = 'Service-Version';

/** The documented limit. Above it the service answers 429, and may ban an integration that goes on regardless. */
export const DEFAULT_REQUESTS_PER_MINUTE = 100;

/** The highest rate that a credential accepts, in case the operator allows more. */
export const MAX_REQUESTS_PER_MINUTE = 10_000;

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
