import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { parseUrl, type Settings } from './settings';
import type { IssuedToken } from './tokenSource';

/** A request in either spelling: the HTTP Request node still uses the older one (n8n 1.123 and 2.40). */
export type RequestOptions = IHttpRequestOptions & {
	uri?: string;
	followRedirect?: boolean;
	followAllRedirects?: boolean;
	rejectUnauthorized?: boolean;
};

/**
 * What a node decides on. Everything else is decided by the credential: whoever may use it could otherwise have the token
 * sent through a proxy of their own.
 */
const DECIDED_BY_NODE = new Set([
	'method',
	'headers',
	'body',
	'form',
	'formData',
	'qs',
	'qsStringifyOptions',
	'useQuerystring',
	'arrayFormat',
	'json',
	'encoding',
	'useStream',
	'gzip',
	'simple',
	'resolveWithFullResponse',
	'returnFullResponse',
	'ignoreHttpStatusErrors',
	'timeout',
	'abortSignal',
	'allowedDomains',
]);

/**
 * Headers that the credential sets, and those about the connection: the name of the host, by which a proxy chooses where a
 * request goes, and the hop-by-hop headers (RFC 9110, 7.6.1).
 */
const DECIDED_BY_CREDENTIAL = new Set([
	'authorization',
	'host',
	'connection',
	'keep-alive',
	'proxy-authorization',
	'proxy-connection',
	'te',
	'trailer',
	'transfer-encoding',
	'upgrade',
]);

/** The address of a request; undefined unless it is the service's own: the token goes to its origin only. */
export function ownAddress(
	{ url, uri, baseURL }: RequestOptions,
	{ origin }: Settings,
): string | undefined {
	const address = parseUrl(url ?? uri ?? '', baseURL);
	const isOwn = address?.origin === origin && address.username === '' && address.password === '';
	return isOwn ? address.href : undefined;
}

/** What a node decides on of a request, to be sent to this address. */
export function confined(options: RequestOptions, address: string): RequestOptions {
	const kept = Object.entries(options).filter(([name]) => DECIDED_BY_NODE.has(name));
	return {
		...Object.fromEntries(kept),
		...((options.uri === undefined ? { url: address } : { uri: address }) as { url: string }),
	};
}

/**
 * A request with the token and the version header, which follows no redirect, and is secured as the credential asks for. A
 * version that the node has set stays.
 */
export function signed(
	options: RequestOptions,
	address: string,
	{ versionHeader, dataVersion, allowUnauthorizedCerts }: Settings,
	{ value }: IssuedToken,
): RequestOptions {
	const kept = Object.entries(options.headers ?? {}).filter(
		([name]) => !DECIDED_BY_CREDENTIAL.has(name.trim().toLowerCase()),
	);
	const hasVersion = kept.some(([name]) => name.toLowerCase() === versionHeader.toLowerCase());
	const headers: IDataObject = {
		...Object.fromEntries(kept),
		Authorization: `Bearer ${value}`,
		...(!hasVersion && { [versionHeader]: dataVersion }),
	};
	return {
		...confined(options, address),
		headers,
		// Each helper knows one spelling and ignores the other.
		disableFollowRedirect: true,
		followRedirect: false,
		followAllRedirects: false,
		skipSslCertificateValidation: allowUnauthorizedCerts,
		rejectUnauthorized: !allowUnauthorizedCerts,
	};
}
