import type { ICredentialDataDecryptedObject, IHttpRequestHelper } from 'n8n-workflow';
import { accountOf, type Account } from '../../account/accounts';
import { describeNoPlace } from '../../account/limit/plan';
import type { IssuedToken } from '../../account/issuedToken';
import type { Place } from '../../account/limit/queue';
import { toStoredFields, type StoredFields } from '../../account/storedToken';
import { TOKEN_PATH } from '../../service/tokenEndpoint';
import { SECOND_MS } from '../../texts/duration';
import { readKnownSites } from '../../account/knownSites';
import { MESSAGES, SENTENCES } from '../../texts/messages';
import { withUrl, type RequestOptions } from './confinement';
import { exchange, tokenRequest } from './exchange';
import { checkDomains, connectionOf } from './settings';
import { testSiteList } from './siteListTest';
import { TokenFailure, tokenNeeded } from './tokenFailure';

type HttpRequest = IHttpRequestHelper['helpers']['httpRequest'];

/** How long a test may wait for the budget: a person is watching. */
const LONGEST_WAIT_MS = 10 * SECOND_MS;
/** How long its request for the list of sites may wait, and then take. */
const LONGEST_LIST_MS = 4 * SECOND_MS;
/** How long it may take in all. */
const LONGEST_TEST_MS = 15 * SECOND_MS;

/**
 * A credential test, as far as it has come. It logs in twice: n8n shows only whether its own login, the second one, was
 * answered well, so the first one is for the messages of this package. n8n's calls, each with the same credential object
 * (n8n 1.123 and 2.40):
 *
 * 1. `authenticate`: a login is needed. What then is thrown looks to n8n like the answer 401.
 * 2. `preAuthentication`: logs in, and reads the service's list of sites if the credential has its address.
 * 3. `authenticate`: turns the request into a login, which n8n sends.
 */
interface CredentialTest {
	readonly account: Account;
	/** By the clock of `performance.now()`. */
	readonly beganAt: number;
	hasLoggedIn: boolean;
}

const tests = new WeakMap<ICredentialDataDecryptedObject, CredentialTest>();

/** Whether a request is the credential's test: the one to the token endpoint that is spelled as declarative requests are. */
export function isTest({ method, url, baseURL }: RequestOptions): boolean {
	return method === 'POST' && url === TOKEN_PATH && baseURL !== undefined;
}

/**
 * `preAuthentication` of a test.
 *
 * @returns undefined if the credential object is not that of a test.
 * @throws TokenFailure that says what is wrong in its message.
 */
export async function logInForTest(
	httpRequest: HttpRequest,
	credential: ICredentialDataDecryptedObject,
): Promise<StoredFields | undefined> {
	const test = tests.get(credential);
	return test && (await inFull(logIn(httpRequest, test)));
}

/**
 * `authenticate` of a test.
 *
 * @throws TokenFailure that says what is wrong in its message.
 */
export async function signTest(
	credential: ICredentialDataDecryptedObject,
	options: RequestOptions,
): Promise<RequestOptions> {
	return await inFull(sign(credential, options));
}

/** Logs in now in any case: that is what is tested. */
async function logIn(httpRequest: HttpRequest, test: CredentialTest): Promise<StoredFields> {
	const { account } = test;
	const { budget, tokens } = account;
	for (;;) {
		await tokens.renewal;
		const place = await takePlace(test);
		if (tokens.renewal) budget.giveBack(place);
		const outcome = await tokens.renew(
			async () => await exchange(httpRequest, account, place, leftMs(test)),
		);
		if (outcome.failure) throw new TokenFailure(outcome.failure);
		if (!outcome.token) continue;
		// n8n's own login is sent even if the list is refused with 429.
		await takePlace(test, true);
		await readSiteList(httpRequest, test, outcome.token);
		test.hasLoggedIn = true;
		return toStoredFields(account.connection, outcome.token);
	}
}

/** Only if the credential has the address of a list, and the account a place for it. */
async function readSiteList(
	httpRequest: HttpRequest,
	test: CredentialTest,
	token: IssuedToken,
): Promise<void> {
	const { account } = test;
	const { budget, connection } = account;
	if (connection.siteListPath === undefined) return;
	const endsAt = performance.now() + LONGEST_LIST_MS;
	const place = await budget.enter({ queue: budget.logins, endsAt });
	if (!place) return;
	const timeoutMs = Math.min(LONGEST_LIST_MS, leftMs(test));
	const failure = await testSiteList(httpRequest, account, token, place, timeoutMs);
	if (failure) throw new TokenFailure(failure);
}

async function sign(
	credential: ICredentialDataDecryptedObject,
	options: RequestOptions,
): Promise<RequestOptions> {
	const test = tests.get(credential) ?? begin(credential);
	if (!test.hasLoggedIn) throw tokenNeeded();
	const { connection, tokens } = test.account;
	tokens.noteCredentialTest();
	const { faults } = readKnownSites(credential.knownSites);
	const [fault, ...others] = faults;
	if (fault) throw new TokenFailure(MESSAGES.credential.knownSites([fault, ...others]));
	const login = { ...tokenRequest(connection), timeout: leftMs(test) };
	return { ...withUrl(options, login.url), ...login };
}

function begin(credential: ICredentialDataDecryptedObject): CredentialTest {
	const connection = connectionOf(credential);
	checkDomains(credential, connection);
	const test = {
		account: accountOf(connection),
		beganAt: performance.now(),
		hasLoggedIn: false,
	};
	tests.set(credential, test);
	return test;
}

/** How long a test may still take, in whole seconds. */
function leftMs({ beganAt }: CredentialTest): number {
	const seconds = Math.floor((beganAt + LONGEST_TEST_MS - performance.now()) / SECOND_MS);
	return Math.max(1, seconds) * SECOND_MS;
}

async function takePlace(
	{ account: { budget }, beganAt }: CredentialTest,
	isUnseen = false,
): Promise<Place> {
	const endsAt = beganAt + LONGEST_WAIT_MS;
	const place = await budget.enter({ queue: budget.logins, endsAt, isUnseen });
	if (!place) throw new TokenFailure(describeNoPlace(budget));
	return place;
}

/** n8n shows only the message of a test's failure (n8n 1.123 and 2.40), so it says what to do as well. */
async function inFull<T>(work: Promise<T>): Promise<T> {
	return await work.catch(async (error: unknown) => {
		if (!(error instanceof TokenFailure)) return await Promise.reject(error as Error);
		const { message, description } = error;
		const text = { message, description: description ?? '' };
		const full = SENTENCES.failed(undefined, text);
		return await Promise.reject(new TokenFailure({ message: full, description: '' }));
	});
}
