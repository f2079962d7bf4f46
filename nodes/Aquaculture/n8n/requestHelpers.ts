import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

/*
 * How does n8n send a request, and when does it call the hooks of the credential? It documents none of this: read in its source, and
 * seen in n8n 1.123 and 2.40. `test/engine/httpRequestNode.test.ts` and `test/n8n/tokens.test.ts` fail if it changes.
 *
 * | Request of            | Helper | Hooks before it                     | After a failure                              |
 * | --------------------- | ------ | ----------------------------------- | -------------------------------------------- |
 * | this package's nodes  | newer  | `authenticate`                      | nothing                                      |
 * | other packages' nodes | newer  | `preAuthentication`, `authenticate` | of a 401: both hooks, and the request again  |
 * | HTTP Request nodes    | older  | `preAuthentication`, `authenticate` | `preAuthentication`, maybe the request again |
 * | a credential test     | older  | none                                | nothing                                      |
 *
 * - The newer helper sends a request again unless `authenticate` throws. The older one calls `authenticate` and sends it again if
 *   `preAuthentication` returns 'Access Token', even an empty one. Then n8n also stores what it returns.
 * - n8n leaves out the first `preAuthentication` if 'Access Token' is not empty. This package's nodes have a token already, so they
 *   fill in something: see {@link signWith}. They set `ignoreHttpStatusErrors`, so that n8n takes no 401 for a failure.
 * - 'Access Token' may be filled because it was saved so, as by `n8n import:credentials`. Only a failure then makes n8n call
 *   `preAuthentication`: see {@link FakeUnauthorizedError}.
 * - With Never Error or Pagination, an HTTP Request node takes no status for a failure.
 * - All hooks of a request get the same credential object.
 */

/** The options of the newer helper, and what the older one calls some of them. Each helper ignores the names of the other. */
export type RequestOptions = IHttpRequestOptions & {
	uri?: string;
	followRedirect?: boolean;
	followAllRedirects?: boolean;
	rejectUnauthorized?: boolean;
};

/** Returns the options to send. */
type Sign = (options: RequestOptions) => RequestOptions;

/** By the credential object. Credential and nodes share this map, because the build makes one bundle of them. */
const ownRequests = new WeakMap<ICredentialDataDecryptedObject, Sign>();

/** Returns a copy of the credential for which n8n's newer helper calls `authenticate` alone, which then finds `sign`. */
export function signWith(
	credential: ICredentialDataDecryptedObject,
	sign: Sign,
): ICredentialDataDecryptedObject {
	// Any text but an empty one will do, so it is not the token: n8n needs to know only that there is one.
	const credentialCopy = { ...credential, accessToken: 'known to the node' };
	ownRequests.set(credentialCopy, sign);
	return credentialCopy;
}

/** Returns the `sign` of {@link signWith}; undefined for a credential that is not its copy. */
export function findSign(credential: ICredentialDataDecryptedObject): Sign | undefined {
	return ownRequests.get(credential);
}

/** Looks like a 401 to n8n's helpers. No other error makes them call `preAuthentication` if a token was saved. */
export class FakeUnauthorizedError extends Error {
	readonly response = { status: 401 };

	constructor() {
		super('n8n called authenticate without preAuthentication');
	}
}

/** Returns a function that sends a request with the older helper, as the newer one would: for a credential test. */
export function withOlderHelper({
	request,
}: ICredentialTestFunctions['helpers']): IHttpRequestHelper['helpers']['httpRequest'] {
	return async ({ url, body, skipSslCertificateValidation, ...options }: IHttpRequestOptions) =>
		(await request({
			...options,
			uri: url,
			body: JSON.stringify(body),
			rejectUnauthorized: !skipSslCertificateValidation,
			followRedirect: false,
			followAllRedirects: false,
			useStream: true,
			simple: false,
			resolveWithFullResponse: true,
		}).catch(throwCause)) as never;
}

/** The older helper wraps an error of TLS in one without a code. */
function throwCause(error: Error & { cause?: Error & { code?: unknown } }): never {
	throw error.cause?.code === undefined ? error : error.cause;
}
