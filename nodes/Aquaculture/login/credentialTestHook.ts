import type {
	ICredentialTestFunctions,
	ICredentialsDecrypted,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import type { SendHttpRequest } from '../n8n/receiveAnswer';

/**
 * Tests a credential. Node and trigger both have it, because n8n calls whichever it finds first. n8n's start loads this file, so
 * what it needs is loaded when it is called.
 */
export async function testAccount(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { testCredential } = await import('./credentialTest');
	const message = await testCredential(data, withOlderHelper(this.helpers));
	return message === undefined
		? { status: 'OK', message: 'Connection successful!' }
		: { status: 'Error', message };
}

/** Returns a function that sends a request with n8n's older helper, the only one that n8n gives to a credential test. */
function withOlderHelper({ request }: ICredentialTestFunctions['helpers']): SendHttpRequest {
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
