import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { checkCredentialSettings } from '../input/credentialSettings';
import { KnownSites } from '../input/knownSites';
import { getAccount, type Account } from '../login/account';
import { CREDENTIAL_MESSAGES } from '../messages/invalid';
import { toOneLine, type Failure } from '../messages/failure';
import { SENTENCES } from '../messages/phrases';
import { SECOND_MS } from '../utils/time';
import { logIn } from './logIn';
import type { SendHttpRequest } from './exchange';

/** How long the request limit may hold up a test. */
const MAX_TEST_WAIT_MS = 15 * SECOND_MS;

/**
 * Tests a credential: logs in, then checks 'Known Sites'. Says why it fails in one text, because n8n shows no description. Node and
 * trigger both have this test, because n8n calls whichever it finds first.
 */
export async function testAccount(
	{ helpers }: ICredentialTestFunctions,
	{ data: credential = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { value: settings, failure: unusable } = checkCredentialSettings(credential);
	const failure =
		unusable ??
		(await checkLogin(getAccount(settings), withOlderHelper(helpers))) ??
		checkKnownSites(settings.knownSites);
	return failure
		? { status: 'Error', message: toOneLine(failure) }
		: { status: 'OK', message: 'Connection successful!' };
}

async function checkLogin(
	account: Account,
	httpRequest: SendHttpRequest,
): Promise<Failure | undefined> {
	// A person is waiting, and can test again.
	const limits = { maxTries: 1, firstSlotWaitMs: MAX_TEST_WAIT_MS };
	const login = async () => await logIn(httpRequest, account, limits);
	const { failure } = await account.tokens.testLogin(login);
	if (failure?.kind !== 'loginRefused') return failure;
	// Unlike others, a test never waits.
	return { ...failure, note: SENTENCES.saveAgain() };
}

function checkKnownSites(knownSites: string): Failure | undefined {
	const { unusableLines } = new KnownSites(knownSites);
	return unusableLines.length > 0 ? CREDENTIAL_MESSAGES.knownSites(unusableLines) : undefined;
}

/**
 * Returns a function that sends a request with n8n's older helper as the newer one would: a credential test has no other. It has other
 * names for most options (`useStream` for `encoding`), and ignores the signal: `exchange` stops waiting, and the timeout ends the request
 * a second later.
 */
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

/** The older helper wraps an error of TLS in one without a code. */
function throwCause(error: Error & { cause?: Error & { code?: unknown } }): never {
	throw error.cause?.code === undefined ? error : error.cause;
}
