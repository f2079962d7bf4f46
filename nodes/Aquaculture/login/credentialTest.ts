import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { KnownSites } from '../input/knownSites';
import { Queue } from '../limit/queue';
import { QUEUE_KINDS } from '../limit/queueKinds';
import { MESSAGES, toOneLine, type FailureText } from '../messages/messages';
import { LOGIN } from '../messages/subject';
import { timeoutSignal } from '../utils/abort';
import { getAccount, type Account } from './account';
import { checkCredentialSettings } from './credentialSettings';
import { logIn, LOGIN_TRY_MS } from './login';
import type { SendHttpRequest } from '../n8n/receiveAnswer';

/**
 * Tests a credential: logs in, then checks 'Known Sites'.
 *
 * @returns why the test fails, in one text, because n8n shows no description; undefined if it succeeds.
 */
export async function testCredential(
	credential: ICredentialDataDecryptedObject,
	httpRequest: SendHttpRequest,
): Promise<string | undefined> {
	const { value: settings, failure: unusable } = checkCredentialSettings(credential);
	const failure =
		unusable ??
		(await testLogin(getAccount(settings), httpRequest)) ??
		checkKnownSites(settings.knownSites);
	return failure && toOneLine(failure);
}

async function testLogin(
	account: Account,
	httpRequest: SendHttpRequest,
): Promise<FailureText | undefined> {
	const { limiter, settings, tokens } = account;
	const { failure } = await tokens.joinLogin(
		// Try once: a person is waiting, and can test again.
		async (signal) => await logIn(httpRequest, account, signal, 1),
		{ signal: timeoutSignal(LOGIN_TRY_MS), isTest: true },
	);
	if (failure?.kind !== 'cancelled') return failure;
	// The time is over. Was the login slow, or did it wait for its slot?
	const queue = new Queue(QUEUE_KINDS.login, settings.requestsPerMinute);
	const limit = limiter.describeLimit(queue);
	return limit.delayMs > 0
		? MESSAGES.limits.reached(limit)
		: MESSAGES.limits.tookTooLong(LOGIN, LOGIN_TRY_MS);
}

function checkKnownSites(knownSites: string): FailureText | undefined {
	const { unusableLines } = new KnownSites(knownSites);
	return unusableLines.length > 0 ? MESSAGES.credential.knownSites(unusableLines) : undefined;
}
