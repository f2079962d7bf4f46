import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { TOKEN_PATH } from '../service/values';
import { SECOND_MS } from '../texts/duration';
import { MESSAGES, SENTENCES, type FailureText } from '../texts/messages';
import { accountOf, type Account } from './account';
import { confined, type RequestOptions } from './confinement';
import { exchange, tokenRequest, type HttpRequest } from './exchange';
import { readKnownSites } from './knownSites';
import { Queue } from './limit';
import { NotSentError, tokenNeeded } from './notSent';
import { checkSettings } from './settings';
import { toStoredFields, type StoredFields } from './storedToken';

/** How long a test may wait for its places: a person is watching. */
const LONGEST_WAIT_MS = 10 * SECOND_MS;
/** How long it may take in all. */
const LONGEST_TEST_MS = 15 * SECOND_MS;

/**
 * A credential test, as far as it has come. It logs in twice: n8n shows only whether its own login, the second one, was
 * answered well, so the first one is for the messages of this package. n8n's calls, each with the same credential object:
 *
 * 1. `authenticate`: a login is needed. What then is thrown looks to n8n like the answer 401.
 * 2. `preAuthentication`: logs in.
 * 3. `authenticate`: turns the request into a login, which n8n sends.
 */
interface CredentialTest {
	readonly account: Account;
	readonly beganAt: number;
	hasLoggedIn: boolean;
}

const tests = new WeakMap<ICredentialDataDecryptedObject, CredentialTest>();

/** Whether a request is the credential's test: the one to the token endpoint that is spelled as declarative requests are. */
export function isTest({ method, url, baseURL }: RequestOptions): boolean {
	return method === 'POST' && url === TOKEN_PATH && baseURL !== undefined;
}

/** `authenticate` of a test. @throws NotSentError that says what is wrong in its message. */
export async function signTest(
	credential: ICredentialDataDecryptedObject,
	options: RequestOptions,
): Promise<RequestOptions> {
	const test = tests.get(credential) ?? begin(credential);
	if (!test.hasLoggedIn) throw tokenNeeded();
	const { account } = test;
	account.tokens.noteCredentialTest();
	const { leftOut } = readKnownSites(credential.knownSites);
	if (leftOut.length > 0) throw failed(MESSAGES.credential.knownSites(leftOut));
	const { limit, settings } = account;
	const queue = new Queue('login', settings.requestsPerMinute);
	const endsAt = test.beganAt + LONGEST_WAIT_MS;
	// n8n sends the login itself, so nobody reports its answer.
	const place = await limit.enter({ queue, endsAt, isUnseen: true });
	if (!place) {
		throw failed(MESSAGES.limits.reached(limit.textFor(queue), limit.delayMs(queue)));
	}
	const login = tokenRequest(settings, leftMs(test));
	return { ...confined(options, login.url), ...login };
}

/**
 * `preAuthentication` of a test: logs in now in any case, since that is what is tested.
 *
 * @returns undefined if the credential object is not that of a test.
 * @throws NotSentError as {@link signTest}.
 */
export async function logInForTest(
	httpRequest: HttpRequest,
	credential: ICredentialDataDecryptedObject,
): Promise<StoredFields | undefined> {
	const test = tests.get(credential);
	if (!test) return undefined;
	const { account } = test;
	const time = { waitMs: LONGEST_WAIT_MS, triesMs: LONGEST_TEST_MS };
	const logIn = async (stop: AbortSignal) => await exchange(httpRequest, account, stop, time);
	let outcome = await account.tokens.logIn(logIn, { isTest: true });
	while (outcome && !outcome.isOwn) outcome = await account.tokens.logIn(logIn, { isTest: true });
	if (!outcome?.token) throw failed(outcome?.failure ?? MESSAGES.limits.cancelled());
	test.hasLoggedIn = true;
	return toStoredFields(account, outcome.token);
}

function begin(credential: ICredentialDataDecryptedObject): CredentialTest {
	const { value: settings, failure } = checkSettings(credential);
	if (failure) throw failed(failure);
	const account = accountOf(settings);
	const test = { account, beganAt: account.clock.now(), hasLoggedIn: false };
	tests.set(credential, test);
	return test;
}

/** How long a test may still take, in whole seconds. */
function leftMs({ account, beganAt }: CredentialTest): number {
	const seconds = Math.floor((beganAt + LONGEST_TEST_MS - account.clock.now()) / SECOND_MS);
	return Math.max(1, seconds) * SECOND_MS;
}

/** n8n shows only the message of a test's failure (n8n 1.123 and 2.40), so it says what to do as well. */
function failed(text: FailureText): NotSentError {
	return new NotSentError({ message: SENTENCES.failed(undefined, text), description: '' });
}
