import type { ICredentialDataDecryptedObject, IHttpRequestHelper } from 'n8n-workflow';
import { TOKEN_PATH } from '../../api/tokenEndpoint';
import { announcementFor, type Login } from '../../account/announcement';
import { accountOf, type Account } from '../../account/accounts';
import type { IssuedToken } from '../../account/issuedToken';
import { toStoredFields, type StoredFields } from '../../account/storedToken';
import type { ExchangeOutcome } from '../../account/tokenCache';
import { takeTurn, takeTurnAgain, type TakenTurn, type TurnRequest } from '../../account/turn';
import type { Entry } from '../../account/limit/budget';
import { describeNoPlace } from '../../account/limit/plan';
import type { Place } from '../../account/limit/queue';
import type { Connection } from '../../shared/connection';
import { MINUTE_MS, SECOND_MS } from '../../shared/duration';
import { readKnownSites } from '../../shared/knownSites';
import { MESSAGES, SENTENCES, type FailureText } from '../../shared/messages';
import { checkDomains, connectionOf } from './settings';
import { checkAddress, confined, mergeHeaders, withUrl, type RequestOptions } from './confinement';
import { exchange, tokenRequest } from './exchange';
import { TokenFailure } from './tokenFailure';

/** How long a credential test may wait for the budget: a person is watching. */
const MAX_TEST_WAIT_MS = 10 * SECOND_MS;
/** How long a request of another node may wait for it. It cannot be cancelled while it waits. */
const MAX_WAIT_MS = 5 * MINUTE_MS;

type HttpRequest = IHttpRequestHelper['helpers']['httpRequest'];

/**
 * n8n's `preAuthentication`: obtains a token.
 *
 * A token is given to n8n once, by the call that has exchanged it, unless n8n needs it to send the request again;
 * {@link signRequest} finds it for all others. n8n stores it by reading the whole credential and writing it back, which
 * undoes an edit that is saved meanwhile (n8n 1.123 and 2.40).
 *
 * @returns the fields that n8n stores in the credential; without any, n8n stores nothing.
 * @throws TokenFailure when no token can be had.
 */
export async function obtainToken(
	{ httpRequest }: IHttpRequestHelper['helpers'],
	credential: ICredentialDataDecryptedObject,
): Promise<Partial<StoredFields>> {
	const announcement = announcementFor(credential);
	if (!announcement) {
		const request = requests.get(credential);
		if (!request) return {};
		const obtaining = obtainForOther(httpRequest, credential, request);
		return await (request.isTest ? inFull(obtaining) : obtaining);
	}
	const { account, login } = announcement;
	return login ? await logInForNode(httpRequest, credential, account, login) : {};
}

/**
 * n8n's `authenticate`: signs a request with the bearer token and the version header. Headers that the user has set stay.
 * The node has taken its turn before; a request of another node or a credential test does so here.
 *
 * @throws TokenFailure when the address is not the service's own, or when the request would have to wait for too long.
 */
export async function signRequest(
	credential: ICredentialDataDecryptedObject,
	options: RequestOptions,
): Promise<RequestOptions> {
	const announcement = announcementFor(credential);
	if (!announcement) {
		const signing = signForOther(credential, options);
		return await (isTest(options) ? inFull(signing) : signing);
	}
	const { account, token } = announcement;
	if (!token) throw new Error('Nothing is to be sent after a login');
	checkDomains(credential, account.connection);
	return sign(options, account.connection, token);
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

/** Logs in for the node, which gets the outcome by what it has announced. */
async function logInForNode(
	httpRequest: HttpRequest,
	credential: ICredentialDataDecryptedObject,
	account: Account,
	login: Login,
): Promise<Partial<StoredFields>> {
	checkDomains(credential, account.connection);
	login.outcome = await exchange(httpRequest, account, login.place);
	const { token } = login.outcome;
	return token ? toStoredFields(account.connection, token) : {};
}

/** @param replaceable a header `Authorization` that may be replaced. */
function sign(
	options: RequestOptions,
	connection: Connection,
	{ value }: IssuedToken,
	replaceable?: string,
): RequestOptions {
	const { url, failure } = checkAddress(options, connection);
	if (failure) throw new TokenFailure(failure);
	const headers = mergeHeaders(options.headers, replaceable, {
		Authorization: bearer(value),
		[connection.versionHeader]: connection.dataVersion,
	});
	return { ...confined(options, url, connection), headers };
}

const bearer = (token: string) => `Bearer ${token}`;

/**
 * A credential test, or a request of another node, as far as it has come. n8n makes these calls for it, each with the same
 * credential object (n8n 1.123 and 2.40):
 *
 * 1. `preAuthentication`, if the credential holds no token. Nothing is known of the request yet, so nothing is done.
 * 2. `authenticate`. The request takes its turn and is signed, or turns out to need a login. What then is thrown looks to
 *    n8n like the answer 401.
 * 3. `preAuthentication`, if it needs a login, or if it was sent and answered with 401. A request of the HTTP Request node
 *    comes here after any failure.
 * 4. `authenticate` again. A request of the HTTP Request node ends at 3, unless it was given a token there.
 *
 *          signed              failed, and another token may help
 *   new ──────────▶ sent ──────────────────────┐
 *    │               ▲                         ▼
 *    │               └────── signed ───────  ready
 *    ▼                                         ▲
 *   needsLogin ────────────────────────────────┘
 *
 * A request that goes to another address or would have to wait for too long is `givenUp`. A credential test always takes
 * the way by `needsLogin`, and is then sent as a login request.
 */
interface OtherRequest {
	readonly account: Account;
	/** Until when it may wait for the budget, by the clock of `performance.now()`. */
	readonly endsAt: number;
	readonly isTest: boolean;
	/** n8n's older helper, which the HTTP Request node uses, spells the address `uri` (n8n 1.123 and 2.40). */
	readonly isOlderSpelling: boolean;
	progress:
		| { step: 'needsLogin' }
		/** With its place, unless it is a test. */
		| { step: 'ready'; token: IssuedToken; place?: Place }
		| { step: 'sent'; token: IssuedToken; place: Place }
		| { step: 'givenUp'; failure: TokenFailure };
	/** The header that it was signed with. n8n hands it over again. */
	authorization?: string;
}

const requests = new WeakMap<ICredentialDataDecryptedObject, OtherRequest>();

/** The credential's test is the one request to the token endpoint that is spelled as declarative requests are. */
function isTest({ method, url, baseURL }: RequestOptions): boolean {
	return method === 'POST' && url === TOKEN_PATH && baseURL !== undefined;
}

function newRequest(
	credential: ICredentialDataDecryptedObject,
	options: RequestOptions,
): OtherRequest {
	const connection = connectionOf(credential);
	checkDomains(credential, connection);
	const request: OtherRequest = {
		account: accountOf(connection),
		endsAt: performance.now() + (isTest(options) ? MAX_TEST_WAIT_MS : MAX_WAIT_MS),
		isTest: isTest(options),
		isOlderSpelling: options.uri !== undefined,
		progress: { step: 'needsLogin' },
	};
	requests.set(credential, request);
	return request;
}

async function obtainForOther(
	httpRequest: HttpRequest,
	credential: ICredentialDataDecryptedObject,
	request: OtherRequest,
): Promise<Partial<StoredFields>> {
	const { account, progress, isOlderSpelling } = request;
	if (progress.step === 'givenUp') throw progress.failure;
	let isOwnLogin = false;
	const logInHere = async (place: Place) => {
		isOwnLogin = true;
		return await exchange(httpRequest, account, place);
	};
	if (request.isTest) {
		request.progress = { step: 'ready', token: await testLogin(request, logInHere) };
	} else {
		const failed = progress.step === 'sent' ? progress : undefined;
		const turn = await turnOf(request, { credential, failed, logIn: logInHere });
		if (!turn) return {};
		request.progress = { step: 'ready', ...turn };
	}
	const isForN8n = isOwnLogin || isOlderSpelling;
	return isForN8n ? toStoredFields(account.connection, request.progress.token) : {};
}

async function signForOther(
	credential: ICredentialDataDecryptedObject,
	options: RequestOptions,
): Promise<RequestOptions> {
	const known = requests.get(credential);
	const request = known ?? newRequest(credential, options);
	const { account, progress } = request;
	if (request.isTest) return await signTest(request, credential, options);

	const { failure } = checkAddress(options, account.connection);
	if (failure) throw giveUp(request, failure);
	const turn =
		progress.step === 'ready' && progress.place
			? { token: progress.token, place: progress.place }
			: await turnOf(request, { credential });
	if (!turn) throw needLogin(request);
	Object.assign(credential, toStoredFields(account.connection, turn.token));
	const signed = sign(options, account.connection, turn.token, request.authorization);
	request.authorization = bearer(turn.token.value);
	request.progress = { step: 'sent', ...turn };
	return signed;
}

/**
 * @param failed that it was sent before, with this turn.
 * @returns undefined where it has no token, and another one cannot be obtained here or would be of no use.
 * @throws TokenFailure where there is no place in time, or where the login has failed.
 */
async function turnOf(
	request: OtherRequest,
	{ failed, ...rest }: Omit<TurnRequest, 'entry'> & { failed?: TakenTurn | undefined },
): Promise<TakenTurn | undefined> {
	const { account, endsAt } = request;
	const entry = { queue: account.budget.others, endsAt, isUnseen: true };
	const turn = failed
		? await takeTurnAgain(account, { entry, ...rest }, failed)
		: await takeTurn(account, { entry, ...rest });
	if (!turn?.missing) return turn;
	if (turn.failure) throw giveUp(request, turn.failure);
	if (turn.missing === 'place') throw giveUp(request, describeNoPlace(account.budget));
	return undefined;
}

/** Logs in now in any case: that is what is tested. */
async function testLogin(
	request: OtherRequest,
	logInHere: (place: Place) => Promise<ExchangeOutcome>,
): Promise<IssuedToken> {
	const { budget, tokens } = request.account;
	for (;;) {
		await tokens.renewal;
		const place = await enterForTest(request, { endsAt: request.endsAt });
		if (tokens.renewal) budget.giveBack(place);
		const outcome = await tokens.renew(async () => await logInHere(place));
		if (outcome.failure) throw new TokenFailure(outcome.failure);
		if (outcome.token) return outcome.token;
	}
}

/** Turns a credential test into a login request. It follows an exchange, so a test logs in twice. */
async function signTest(
	request: OtherRequest,
	{ knownSites }: ICredentialDataDecryptedObject,
	options: RequestOptions,
): Promise<RequestOptions> {
	if (request.progress.step !== 'ready') throw needLogin(request);
	const [fault, ...others] = readKnownSites(knownSites).faults;
	const { connection, tokens } = request.account;
	tokens.noteCredentialTest();
	if (fault) throw new TokenFailure(MESSAGES.credential.knownSites([fault, ...others]));
	// Where the account may send one request a minute, a test would never pass otherwise.
	await enterForTest(request, { endsAt: performance.now() + MAX_WAIT_MS, isUnseen: true });
	const login = tokenRequest(connection);
	return { ...withUrl(options, login.url), ...login };
}

async function enterForTest(
	request: OtherRequest,
	entry: Pick<Entry, 'endsAt' | 'isUnseen'>,
): Promise<Place> {
	const { budget } = request.account;
	const place = await budget.enter({ ...entry, queue: budget.logins });
	if (!place) throw giveUp(request, describeNoPlace(budget));
	return place;
}

/** The failure of a request that may not be sent. If n8n then asks for a token for it, it gets the same failure again. */
function giveUp(request: OtherRequest, text: FailureText): TokenFailure {
	const failure = new TokenFailure(text);
	request.progress = { step: 'givenUp', failure };
	return failure;
}

/** What n8n takes for an expired token. */
function needLogin(request: OtherRequest): Error {
	request.progress = { step: 'needsLogin' };
	return Object.assign(new Error('A new token is needed'), { response: { status: 401 } });
}
