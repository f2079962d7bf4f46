import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import type { Failure, Result } from '../messages/failure';
import { CREDENTIAL_MESSAGES } from '../messages/invalid';
import { RequestBlockedError } from '../n8n/errors';
import { isReservedHeader } from '../service/constants';
import { parseUrl } from '../input/values';
import type { CredentialSettings } from '../input/credentialSettings';
import type { AccessToken } from '../service/token';

/** The options of n8n's newer helper, and what the older one calls some of them. Each helper ignores the names of the other. */
export type RequestOptions = IHttpRequestOptions & {
	uri?: string;
	followRedirect?: boolean;
	followAllRedirects?: boolean;
	rejectUnauthorized?: boolean;
};

/**
 * The options that a node may set. The credential decides about all others: somebody who may use the credential could
 * otherwise send the token through a proxy of their own.
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

/** The answer to TRACE repeats the token, and CONNECT asks a proxy for a tunnel. */
const BLOCKED_METHODS = ['TRACE', 'CONNECT'];

/**
 * Signs a request of this package's nodes (`sendRequest.ts`) or of others (`credentialHooks.ts`): adds the token and the credential's
 * version header, unless the node has set that. It keeps only {@link ALLOWED_OPTIONS}, drops reserved headers, follows no redirect, and
 * checks certificates as the credential says.
 *
 * @throws RequestBlockedError if it would not go to the service's origin, or might repeat the token.
 */
export function signRequest(
	options: RequestOptions,
	settings: CredentialSettings,
	{ value }: AccessToken,
): RequestOptions {
	const { versionHeader, dataVersion, allowUnauthorizedCerts } = settings;
	const { value: address, failure } = checkRequest(options, settings);
	if (failure) throw new RequestBlockedError(failure);
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
		// Each helper uses its own names for these options and ignores the other's.
		disableFollowRedirect: true,
		followRedirect: false,
		followAllRedirects: false,
		skipSslCertificateValidation: allowUnauthorizedCerts,
		rejectUnauthorized: !allowUnauthorizedCerts,
	};
}

/** Returns the address of a request. */
function checkRequest(
	{ url, uri, method = 'GET' }: RequestOptions,
	{ origin }: CredentialSettings,
): Result<string, Failure> {
	const address = parseUrl(url ?? uri ?? '');
	const isOwn = address?.origin === origin && address.username === '' && address.password === '';
	if (!isOwn) return { failure: CREDENTIAL_MESSAGES.otherAddress(origin) };
	// An expression may return anything.
	const isAllowed = typeof method === 'string' && !BLOCKED_METHODS.includes(method.toUpperCase());
	return isAllowed ? { value: address.href } : { failure: CREDENTIAL_MESSAGES.method(method) };
}
