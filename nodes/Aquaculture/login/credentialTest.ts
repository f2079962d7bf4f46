import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { KnownSites } from '../input/knownSites';
import { MESSAGES, toOneLine, type FailureText } from '../messages/messages';
import { SECOND_MS } from '../utils/time';
import { getAccount, type Account } from './account';
import { checkCredentialSettings } from '../input/credentialSettings';
import { logIn } from './login';
import type { SendHttpRequest } from '../n8n/receiveAnswer';

/** How long the request limit may hold up a test. */
const MAX_WAIT_MS = 15 * SECOND_MS;

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
	// A person is waiting, and can test again.
	const limits = { maxTries: 1, maxWaitMs: MAX_WAIT_MS };
	const login = async () => await logIn(httpRequest, account, limits);
	return (await account.tokens.testLogin(login)).failure;
}

function checkKnownSites(knownSites: string): FailureText | undefined {
	const { unusableLines } = new KnownSites(knownSites);
	return unusableLines.length > 0 ? MESSAGES.credential.knownSites(unusableLines) : undefined;
}
