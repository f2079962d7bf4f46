import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { MESSAGES, type FailureText } from '../messages/messages';
import { isReservedHeader } from '../service/headers';
import { parseUrl, type CredentialSettings } from '../login/credentialSettings';
import type { AccessToken } from '../login/tokenSource';

/** Options in the spelling of either helper: the HTTP Request node uses the older one (docs/architecture.md, n8n 6). */
export type RequestOptions = IHttpRequestOptions & {
	uri?: string;
	followRedirect?: boolean;
	followAllRedirects?: boolean;
	rejectUnauthorized?: boolean;
};

/**
 * The options that a node may set. The credential decides everything else: a user of the credential could otherwise have
 * the token sent through a proxy of their own.
 */
const ALLOWED_OPTIONS = new Set([
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

/** Returns the address of a request, or a failure unless it is on the service's origin. */
export function checkRequest(
	{ url, uri, baseURL, method = 'GET' }: RequestOptions,
	{ origin }: CredentialSettings,
): { value: string; failure?: never } | { value?: never; failure: FailureText } {
	const address = parseUrl(url ?? uri ?? '', baseURL);
	const isOwn = address?.origin === origin && address.username === '' && address.password === '';
	if (!isOwn) return { failure: MESSAGES.credential.otherAddress(origin) };
	return method.toUpperCase() === 'TRACE'
		? { failure: MESSAGES.credential.traceMethod() }
		: { value: address.href };
}

/**
 * Returns a request with the token and the credential's version header. It follows no redirect, and is as secure as the
 * credential says.
 *
 * Of what the node has set, only {@link ALLOWED_OPTIONS} stay, and of its headers those that {@link isReservedHeader} allows. A
 * version header of the node replaces the credential's.
 *
 * @param address of the service, from {@link checkRequest}.
 */
export function withAuthorization(
	options: RequestOptions,
	address: string,
	{ versionHeader, dataVersion, allowUnauthorizedCerts }: CredentialSettings,
	{ value }: AccessToken,
): RequestOptions {
	const allowed = Object.entries(options).filter(([name]) => ALLOWED_OPTIONS.has(name));
	const kept = Object.entries(options.headers ?? {}).filter(([name]) => !isReservedHeader(name));
	const hasVersion = kept.some(([name]) => name.toLowerCase() === versionHeader.toLowerCase());
	const headers: IDataObject = {
		...Object.fromEntries(kept),
		Authorization: `Bearer ${value}`,
		...(!hasVersion && { [versionHeader]: dataVersion }),
	};
	return {
		...Object.fromEntries(allowed),
		...((options.uri === undefined ? { url: address } : { uri: address }) as { url: string }),
		headers,
		// Each helper knows one spelling and ignores the other.
		disableFollowRedirect: true,
		followRedirect: false,
		followAllRedirects: false,
		skipSslCertificateValidation: allowUnauthorizedCerts,
		rejectUnauthorized: !allowUnauthorizedCerts,
	};
}
