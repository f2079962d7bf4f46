import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { readAnswer } from '../service/response';
import { abortedAfter } from '../service/retry';
import { isOfAddress, listFailure, siteListDocument } from '../service/siteList';
import { TOKEN_PATH } from '../input/values';
import { SECOND_MS } from '../messages/duration';
import { LOGIN, MESSAGES, SENTENCES, type FailureText } from '../messages/messages';
import { accountOf, type Account } from './account';
import { confined, signed, type RequestOptions } from './requestGuard';
import { exchange, sendIn, tokenRequest, type HttpRequest } from './login';
import { readKnownSites } from '../input/knownSites';
import { Queue } from './rateLimiter';
import { NotSentError, tokenNeeded } from './notSent';
import { checkSettings } from './settings';
import { toStoredFields, type StoredFields } from './storedToken';
import type { IssuedToken } from './tokenSource';

/**
 * Until when the steps of a test may go on, after its beginning: a person is watching. n8n's own login has about as long as
 * the first one, which was answered in time.
 */
const ENDS_MS = { login: 6 * SECOND_MS, siteList: 8 * SECOND_MS, n8nsLogin: 15 * SECOND_MS };

/**
 * A credential test, as far as it has come. It logs in twice: n8n shows only whether its own login, the second one, was
 * answered well, so the first one is for the messages of this package. n8n's calls, each with the same credential object:
 *
 * 1. `authenticate`: a login is needed. What then is thrown looks to n8n like the answer 401.
 * 2. `preAuthentication`: logs in, and looks at the sites that the credential knows.
 * 3. `authenticate`: turns the request into a login, which n8n sends.
 */
interface CredentialTest {
	readonly account: Account;
	readonly queue: Queue;
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
	const { account, queue } = test;
	account.tokens.noteCredentialTest();
	// n8n sends the login itself, so nobody reports its answer.
	const endsAt = test.beganAt + ENDS_MS.siteList;
	const place = await account.limit.enter({ queue, endsAt, isUnseen: true });
	if (!place) throw failed(limitReached(test));
	const timeoutMs = leftMs(test, 'n8nsLogin');
	const login = tokenRequest(account.settings, timeoutMs);
	// n8n's timeout does not end an answer that trickles in.
	return { ...confined(options, login.url), ...login, abortSignal: abortedAfter(timeoutMs) };
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
	const outcome = await account.tokens.logIn(
		async (stop) => await exchange(httpRequest, account, stop),
		{ signal: abortedAfter(leftMs(test, 'login')), isTest: true },
	);
	if (!outcome) {
		const isStopped = account.limit.delayMs(test.queue) > 0;
		throw failed(
			isStopped ? limitReached(test) : MESSAGES.limits.tookTooLong(LOGIN, ENDS_MS.login),
		);
	}
	if (outcome.failure) throw failed(outcome.failure);
	test.hasLoggedIn = true;
	const { leftOut, repeated } = readKnownSites(account.settings.knownSites);
	if (leftOut.length + repeated.length > 0) {
		throw failed(MESSAGES.credential.knownSites(leftOut, repeated));
	}
	const fault = await siteListFault(httpRequest, test, outcome.token);
	if (fault) throw failed(MESSAGES.credential.siteList(fault));
	return toStoredFields(account, outcome.token);
}

/** What a person can correct at 'Site List Address'. What fails for the moment, or for another reason, is no such fault. */
async function siteListFault(
	httpRequest: HttpRequest,
	test: CredentialTest,
	token: IssuedToken,
): Promise<FailureText | undefined> {
	const { limit, settings } = test.account;
	const { siteListPath, baseUrl, password } = settings;
	if (siteListPath === undefined) return undefined;
	const end = abortedAfter(leftMs(test, 'siteList'));
	const place = await limit.enter({ queue: test.queue, signal: end });
	if (!place) return undefined;
	const url = baseUrl + siteListPath;
	const request = signed({ url, headers: { Accept: 'application/json' } }, url, settings, token);
	try {
		const response = await sendIn(place, limit, httpRequest, { ...request, abortSignal: end });
		if (!response) return undefined;
		const secrets = { password, token: token.value };
		const { failure } = await readAnswer(response, siteListDocument(siteListPath), secrets);
		return failure && isOfAddress(failure) ? listFailure(failure) : undefined;
	} catch {
		limit.fail(place);
		return undefined;
	}
}

function begin(credential: ICredentialDataDecryptedObject): CredentialTest {
	const { value: settings, failure } = checkSettings(credential);
	if (failure) throw failed(failure);
	const { requestsPerMinute, siteListPath } = settings;
	const needed = siteListPath === undefined ? 2 : 3;
	if (requestsPerMinute < needed) {
		throw failed(MESSAGES.credential.tooFewForTest(requestsPerMinute, needed));
	}
	const account = accountOf(settings);
	const queue = new Queue('login', settings.requestsPerMinute);
	const test = { account, queue, beganAt: account.clock.now(), hasLoggedIn: false };
	tests.set(credential, test);
	return test;
}

/** How long a step of a test may still take, in whole seconds. */
function leftMs({ account, beganAt }: CredentialTest, step: keyof typeof ENDS_MS): number {
	const seconds = Math.floor((beganAt + ENDS_MS[step] - account.clock.now()) / SECOND_MS);
	return Math.max(1, seconds) * SECOND_MS;
}

function limitReached({ account: { limit }, queue }: CredentialTest): FailureText {
	return MESSAGES.limits.reached(limit.textFor(queue), limit.delayMs(queue));
}

/** n8n shows only the message of a test's failure (n8n 1.123 and 2.40), so it says what to do as well. */
function failed(text: FailureText): NotSentError {
	return new NotSentError({ message: SENTENCES.failed(undefined, text), description: '' });
}
