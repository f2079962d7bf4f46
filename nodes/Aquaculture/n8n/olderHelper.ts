import type { ICredentialTestFunctions, IHttpRequestOptions } from 'n8n-workflow';
import type { SendHttpRequest } from '../login/transport';

/**
 * Returns a function that sends a request with n8n's older helper, which is the only one that a credential test has
 * (docs/architecture.md, n8n 6).
 */
export function withOlderHelper({ request }: ICredentialTestFunctions['helpers']): SendHttpRequest {
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

/** n8n's older helper wraps an error of TLS in one without a code. */
function throwCause(error: Error & { cause?: Error & { code?: unknown } }): never {
	throw error.cause?.code === undefined ? error : error.cause;
}
