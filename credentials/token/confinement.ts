import type { IDataObject, IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import type { Connection } from '../../account/connection';
import { MESSAGES, type FailureText } from '../../texts/messages';
import { parseUrl } from '../../service/url';

/** A request in either spelling: the HTTP Request node still uses the older one (n8n 1.123 and 2.40). */
export type RequestOptions = IHttpRequestOptions & {
	uri?: string;
	followRedirect?: boolean;
	followAllRedirects?: boolean;
	rejectUnauthorized?: boolean;
};

type OlderRequestOptions = Parameters<IExecuteFunctions['helpers']['requestWithAuthentication']>[1];

/**
 * Who decides on an option of a request. The credential decides where the token goes and how the connection is secured:
 * whoever may use the credential could otherwise have the token sent through a proxy of their own.
 *
 * All options of both of n8n's helpers are here, so that the compiler asks about a new one (n8n-workflow 2.40). What is
 * not here is not sent.
 */
const DECIDED_BY: Record<
	keyof IHttpRequestOptions | keyof OlderRequestOptions,
	'request' | 'credential'
> = {
	method: 'request',
	headers: 'request',
	body: 'request',
	form: 'request',
	formData: 'request',
	qs: 'request',
	qsStringifyOptions: 'request',
	useQuerystring: 'request',
	arrayFormat: 'request',
	json: 'request',
	encoding: 'request',
	useStream: 'request',
	gzip: 'request',
	simple: 'request',
	resolveWithFullResponse: 'request',
	returnFullResponse: 'request',
	ignoreHttpStatusErrors: 'request',
	timeout: 'request',
	abortSignal: 'request',
	allowedDomains: 'request',

	url: 'credential',
	uri: 'credential',
	baseURL: 'credential',
	auth: 'credential',
	proxy: 'credential',
	agentOptions: 'credential',
	skipSslCertificateValidation: 'credential',
	rejectUnauthorized: 'credential',
	disableFollowRedirect: 'credential',
	followRedirect: 'credential',
	followAllRedirects: 'credential',
	maxRedirects: 'credential',
	sendCredentialsOnCrossOriginRedirect: 'credential',
};

/**
 * Headers that are about the connection: the name of the host, by which a proxy chooses where a request goes, and the
 * hop-by-hop headers (RFC 9110, 7.6.1).
 */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
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

/** The address of a request. The token goes to the service's own origin only. */
export function checkAddress(
	{ url, uri, baseURL }: RequestOptions,
	{ origin }: Connection,
): { url: URL; failure?: never } | { url?: never; failure: FailureText } {
	const address = parseUrl(url ?? uri ?? '', baseURL);
	const isOwn = address?.origin === origin && address.username === '' && address.password === '';
	return isOwn ? { url: address } : { failure: MESSAGES.credential.otherAddress(origin) };
}

/** The request with an absolute address in place of the one it has, and with nothing that the credential decides on. */
export function withUrl(options: RequestOptions, url: string): RequestOptions {
	return { ...decidedByRequest(options), url };
}

/**
 * The request with the very address that was checked, without any redirect to another one, and with the security that
 * the credential asks for; the node's own proxy and certificates are left out.
 */
export function confined(
	options: RequestOptions,
	url: URL,
	{ allowUnauthorizedCerts }: Connection,
): RequestOptions {
	return {
		...decidedByRequest(options),
		...((options.uri === undefined ? { url: url.href } : { uri: url.href }) as { url: string }),
		// Each helper knows one spelling and ignores the other.
		disableFollowRedirect: true,
		followRedirect: false,
		followAllRedirects: false,
		skipSslCertificateValidation: allowUnauthorizedCerts,
		rejectUnauthorized: !allowUnauthorizedCerts,
	};
}

/**
 * Adds the headers that are missing. A header whose value is `replaceable` counts as missing. Headers about the
 * connection are left out.
 */
export function mergeHeaders(
	present: IDataObject = {},
	replaceable: string | undefined,
	added: Record<string, string>,
): IDataObject {
	const kept = Object.entries(present).filter(
		([name, value]) => value !== replaceable && !CONNECTION_HEADERS.has(name.trim().toLowerCase()),
	);
	const keptNames = kept.map(([name]) => name.toLowerCase());
	const missing = Object.entries(added).filter(([name]) => !keptNames.includes(name.toLowerCase()));
	return Object.fromEntries([...kept, ...missing]) as IDataObject;
}

function decidedByRequest(options: RequestOptions): Partial<RequestOptions> {
	const deciders: Partial<Record<string, string>> = DECIDED_BY;
	return Object.fromEntries(
		Object.entries(options).filter(([name]) => deciders[name] === 'request'),
	);
}
