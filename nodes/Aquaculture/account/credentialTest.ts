import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	ICredentialsDecrypted,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { abortedAfter } from '../service/abort';
import { LOGIN, MESSAGES, SENTENCES, type FailureText } from '../messages/messages';
import { KnownSites } from '../input/knownSites';
import { accountOf } from './account';
import { logIn, LOGIN_TRY_MS } from './login';
import { Queue } from './rateLimiter';
import type { HttpRequest } from './send';
import { checkSettings } from './settings';

/** Tests a credential: logs in, then checks 'Known Sites'. n8n shows only the message. */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const failure = await failureOf(data, withOlderHelper(this.helpers));
	return failure
		? { status: 'Error', message: SENTENCES.failed(undefined, failure) }
		: { status: 'OK', message: 'Connection successful!' };
}

async function failureOf(
	credential: ICredentialDataDecryptedObject,
	httpRequest: HttpRequest,
): Promise<FailureText | undefined> {
	const { value: settings, failure: unusable } = checkSettings(credential);
	if (unusable) return unusable;
	const account = accountOf(settings);
	const { failure } = await account.tokens.logIn(
		// A person waits, and can test again.
		async (stop) => await logIn(httpRequest, account, stop, 1),
		{ signal: abortedAfter(LOGIN_TRY_MS), isTest: true },
	);
	if (failure?.kind === 'cancelled') {
		const queue = new Queue('login', settings.requestsPerMinute);
		const delayMs = account.limiter.delayMs(queue);
		return delayMs > 0
			? MESSAGES.limits.reached(account.limiter.describe(queue), delayMs)
			: MESSAGES.limits.tookTooLong(LOGIN, LOGIN_TRY_MS);
	}
	if (failure) return failure;
	const { linesLeftOut, linesRepeated } = new KnownSites(settings.knownSites);
	const isUsable = linesLeftOut.length + linesRepeated.length === 0;
	return isUsable ? undefined : MESSAGES.credential.knownSites(linesLeftOut, linesRepeated);
}

/** Sends a request with n8n's older helper, the only one that a credential test has (docs/architecture.md, n8n 6). */
function withOlderHelper({ request }: ICredentialTestFunctions['helpers']): HttpRequest {
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
