import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import type { Connection } from '../../shared/connection';
import { parseUrl } from '../../shared/url';
import { TokenFailure } from './tokenFailure';

/** A request in either spelling: the HTTP Request node still uses the older one (n8n 1.123 and 2.40). */
export type RequestOptions = IHttpRequestOptions & {
	uri?: string;
	followRedirect?: boolean;
	followAllRedirects?: boolean;
	rejectUnauthorized?: boolean;
};

/** Where a request goes; undefined where that is no address. */
export function addressOf({ url, uri, baseURL }: RequestOptions): URL | undefined {
	return parseUrl(url ?? uri ?? '', baseURL);
}

/** Why a request must not be signed: the token goes to the service's own origin only. */
export function refusalOf(url: URL | undefined, { origin }: Connection): TokenFailure | undefined {
	if (url?.origin === origin && url.username === '' && url.password === '') return undefined;
	return new TokenFailure({
		message: `This credential is for ${origin} only, and the request goes to another address`,
		description: `Use an address that begins with ${origin}/, without a user name in it, or choose another credential for the request.`,
	});
}

/** The request with an absolute address in place of the one it has. */
export function withUrl(options: RequestOptions, url: string): RequestOptions {
	const absolute = { ...options, url };
	delete absolute.baseURL;
	return absolute;
}

/** The request with the very address that was checked, and without any redirect to another one. */
export function confined(
	options: RequestOptions,
	url: URL,
	connection: Connection,
): RequestOptions {
	const { allowUnauthorizedCerts } = connection;
	return options.uri === undefined
		? {
				...withUrl(options, url.href),
				disableFollowRedirect: true,
				...(allowUnauthorizedCerts && { skipSslCertificateValidation: true }),
			}
		: {
				...options,
				uri: url.href,
				followRedirect: false,
				followAllRedirects: false,
				...(allowUnauthorizedCerts && { rejectUnauthorized: false }),
			};
}

/** Adds the headers that are not there yet; one that holds `replaceable` counts as not there. */
export function mergeHeaders(
	present: IDataObject = {},
	replaceable: string | undefined,
	added: Record<string, string>,
): IDataObject {
	const kept = Object.entries(present).filter(([, value]) => value !== replaceable);
	const keptNames = kept.map(([name]) => name.toLowerCase());
	const missing = Object.entries(added).filter(([name]) => !keptNames.includes(name.toLowerCase()));
	return Object.fromEntries([...kept, ...missing]) as IDataObject;
}
