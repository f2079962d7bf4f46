import type { ICredentialDataDecryptedObject, IHttpRequestHelper } from 'n8n-workflow';
import { TOKEN_PATH } from '../../api/tokenEndpoint';
import type { Account } from '../../shared/account/accounts';
import type { IssuedToken } from '../../shared/account/issuedToken';
import { contextOf, type RequestContext } from '../../shared/account/requestContext';
import type { ExchangeFailure } from '../../shared/account/tokenCache';
import type { Place } from '../../shared/budget/budget';
import { describeClosed } from '../../shared/budget/closed';
import { MINUTE_MS } from '../../shared/duration';
import { readKnownSites } from '../../shared/knownSites';
import { MESSAGES, SENTENCES, type FailureText } from '../../shared/messages';
import { accountOfCredential } from './account';
import { checkAddress, confined, mergeHeaders, withUrl, type RequestOptions } from './confinement';
import { exchange, tokenRequest } from './exchange';
import { storedToken, toStoredFields, type StoredFields } from './storedToken';
import { TokenFailure } from './tokenFailure';

/** How long a credential test may wait for the budget: a person is watching. */
const MAX_TEST_WAIT_MS = 5_000;
/** How long a request of another node may wait for it. It cannot be cancelled while it waits. */
const MAX_WAIT_MS = 5 * MINUTE_MS;

/** n8n's older helper, which the HTTP Request node uses, spells the address `uri`, the newer one `url` (n8n 1.123 and 2.40). */
type Form = 'test' | 'older spelling' | 'newer spelling';

/**
 * A request, as far as it has come. n8n makes these calls for it, each with the same credential object (n8n 1.123 and 2.40):
 *
 * 1. `preAuthentication`, if the credential holds no token. Nothing is known of the request yet, so nothing is done.
 * 2. `authenticate`. The request waits for the budget. Then it is signed, or turns out to need a token.
 * 3. `preAuthentication`, if it needs a token, or if it was sent and answered with 401. A request in the older spelling
 *    comes here after any failure.
 * 4. `authenticate` again. A request in the older spelling ends at 3, unless it was given a token there.
 *
 *          signed              failed, and another token helps
 *   new ──────────▶ sent ──────────────────────┐
 *    │               ▲                         ▼
 *    │               └────── signed ───── tokenObtained
 *    ▼                                         ▲
 *   tokenNeeded ───────────────────────────────┘
 *
 * A request that goes to another address or would have to wait for too long is `givenUp`.
 *
 * A credential test always takes the way by `tokenNeeded`, and is then sent as a login request.
 */
interface SignedRequest {
	readonly account: Account;
	/** What the node has announced of it; undefined for credential tests and for requests of other nodes. */
	readonly context: RequestContext | undefined;
	/** Absent as long as it is new. */
	form?: Form;
	progress:
		| { step: 'new' }
		| { step: 'tokenNeeded' }
		| { step: 'tokenObtained'; token: IssuedToken }
		/** Its place is here where no node reports how it was answered. */
		| { step: 'sent'; token: IssuedToken; place?: Place }
		| { step: 'givenUp'; failure: TokenFailure };
	/** The header that it was signed with. n8n hands it over again. */
	authorization?: string;
	/** How long it has waited for the budget so far, in milliseconds. */
	waitedMs: number;
}

const requests = new WeakMap<ICredentialDataDecryptedObject, SignedRequest>();

function requestOf(credential: ICredentialDataDecryptedObject): SignedRequest {
	const known = requests.get(credential);
	if (known) return known;
	const context = contextOf(credential);
	const account = accountOfCredential(credential, context);
	const request: SignedRequest = { account, context, progress: { step: 'new' }, waitedMs: 0 };
	requests.set(credential, request);
	return request;
}

/**
 * n8n's `preAuthentication`: obtains a token for a request.
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
	const request = requests.get(credential);
	if (!request) return {};
	try {
		return await obtainTokenFor(request, httpRequest);
	} catch (error) {
		throw request.form === 'test' ? inFull(error) : error;
	}
}

async function obtainTokenFor(
	request: SignedRequest,
	httpRequest: IHttpRequestHelper['helpers']['httpRequest'],
): Promise<Partial<StoredFields>> {
	const { account, form, progress } = request;
	if (progress.step === 'new') return {};
	if (progress.step === 'givenUp') throw progress.failure;
	if (progress.step === 'sent') progress.place?.fail();

	const { token, failure, isOwnLogin } = await tokenFor(request, httpRequest);
	if (failure) throw new TokenFailure(failure);
	if (!token) return {};
	request.progress = { step: 'tokenObtained', token };
	const isForN8n = isOwnLogin || form === 'older spelling';
	return isForN8n ? toStoredFields(account.connection, token) : {};
}

interface Obtained {
	/** Absent where the request has failed and another token would be of no use. */
	token?: IssuedToken;
	failure?: ExchangeFailure;
	/** Whether the token comes from a login that was made for this very request. */
	isOwnLogin: boolean;
}

/**
 * The token for a request that needs one or has failed with its own.
 *
 * If the budget defers the login, the request itself waits for a place and gives it to the login. If the place were
 * given back first, requests that all need a token could pass it to one another without end.
 */
async function tokenFor(
	request: SignedRequest,
	httpRequest: IHttpRequestHelper['helpers']['httpRequest'],
): Promise<Obtained> {
	const { account, form, progress } = request;
	const { tokens } = account;
	for (let place: Place | undefined; ; place = await enterBudget(request)) {
		let isOwnLogin = false;
		const logIn = async () => {
			isOwnLogin = true;
			return await exchange(httpRequest, account, place);
		};
		const outcome =
			progress.step === 'sent'
				? await tokens.replace(progress.token, logIn)
				: await tokens.renew(form === 'test', logIn);
		if (!isOwnLogin) place?.giveBack();
		if (!outcome?.isDeferred) return { ...outcome, isOwnLogin };
	}
}

/**
 * n8n's `authenticate`: signs a request with the bearer token and the version header, once its account may send it.
 * Headers that the user has set stay.
 *
 * Where the stored token has ended or belongs to another account, it throws what n8n takes for the answer 401: n8n
 * then obtains a token and signs again, without a request that was bound to fail. The declarative form of signing
 * cannot do that, and costs more than twice as much CPU for a request (n8n 2.40).
 *
 * @throws TokenFailure when the address is not the service's own, or when the request would have to wait for too long.
 */
export async function signRequest(
	credential: ICredentialDataDecryptedObject,
	options: RequestOptions,
): Promise<RequestOptions> {
	const form = formOf(options);
	try {
		const request = requestOf(credential);
		request.form = form;
		return form === 'test'
			? await signTest(request, credential, options)
			: await signWithToken(request, credential, options);
	} catch (error) {
		throw form === 'test' ? inFull(error) : error;
	}
}

/** n8n shows only the message of a test's failure (n8n 1.123 and 2.40), so it says what to do as well. */
function inFull(error: unknown): unknown {
	if (!(error instanceof TokenFailure)) return error;
	const { message, description } = error;
	return new TokenFailure({
		message: SENTENCES.failed(undefined, { message, description: description ?? '' }),
		description: '',
	});
}

async function signWithToken(
	request: SignedRequest,
	credential: ICredentialDataDecryptedObject,
	options: RequestOptions,
): Promise<RequestOptions> {
	const { connection } = request.account;
	const { url, failure } = checkAddress(options, connection);
	if (failure) throw giveUp(request, failure);

	const place = await enterBudget(request);
	const token = chooseToken(request, credential);
	if (!token) {
		place.giveBack();
		throw needToken(request);
	}
	if (token.value !== credential.accessToken) {
		Object.assign(credential, toStoredFields(connection, token));
	}
	const authorization = `Bearer ${token.value}`;
	const headers = mergeHeaders(options.headers, request.authorization, {
		Authorization: authorization,
		[connection.versionHeader]: connection.dataVersion,
	});
	request.authorization = authorization;
	markSent(request, token, place);
	return { ...confined(options, url, connection), headers };
}

/** Turns a credential test into a login request. It follows an exchange, so a test logs in twice. */
async function signTest(
	request: SignedRequest,
	{ knownSites }: ICredentialDataDecryptedObject,
	options: RequestOptions,
): Promise<RequestOptions> {
	if (request.progress.step !== 'tokenObtained') throw needToken(request);
	const [fault, ...others] = readKnownSites(knownSites).faults;
	if (!fault) await enterBudget(request);
	const { connection, tokens } = request.account;
	tokens.noteCredentialTest();
	if (fault) throw new TokenFailure(MESSAGES.credential.knownSites([fault, ...others]));
	const login = tokenRequest(connection);
	return { ...withUrl(options, login.url), ...login };
}

/** The credential's test is the one request to the token endpoint that is spelled as declarative requests are. */
function formOf({ method, url, uri, baseURL }: RequestOptions): Form {
	if (method === 'POST' && url === TOKEN_PATH && baseURL !== undefined) return 'test';
	return uri === undefined ? 'newer spelling' : 'older spelling';
}

/** Waits until the account may send the request. */
async function enterBudget(request: SignedRequest): Promise<Place> {
	const { account, context, form, progress } = request;
	const { budget, connection } = account;
	const lane = context?.lane ?? budget.others;
	const beganAt = performance.now();
	const place = await budget.enter({
		lane,
		requestsPerMinute: connection.requestsPerMinute,
		maxWaitMs: context?.maxWaitMs() ?? maxWaitMsOf(request),
		signal: context?.signal,
		isUrgent: form === 'test',
		hadItsTurn: progress.step !== 'new',
		isUnseen: context === undefined,
	});
	request.waitedMs += performance.now() - beganAt;
	if (place) return place;
	context?.onTooLate();
	throw giveUp(request, describeClosed(budget, lane));
}

function maxWaitMsOf({ form, progress, waitedMs }: SignedRequest): number {
	// A test logs in twice: where the account may send one request a minute, it would never pass otherwise.
	const isFirstLogin = form === 'test' && progress.step === 'tokenNeeded';
	return (isFirstLogin ? MAX_TEST_WAIT_MS : MAX_WAIT_MS) - waitedMs;
}

function chooseToken(
	{ account, context, progress }: SignedRequest,
	credential: ICredentialDataDecryptedObject,
): IssuedToken | undefined {
	const token = account.tokens.choose(storedToken(account, credential));
	// The token that was obtained for this request may have been rejected for another one meanwhile. The node asks again
	// itself, but for other nodes, n8n asks only once.
	const isLastChance = !context && progress.step === 'tokenObtained';
	return token ?? (isLastChance ? progress.token : undefined);
}

/** The node reports the answer to its request. A request of another node counts as unanswered. */
function markSent(request: SignedRequest, token: IssuedToken, place: Place): void {
	const { account, context } = request;
	if (!context) {
		request.progress = { step: 'sent', token, place };
		return;
	}
	request.progress = { step: 'sent', token };
	const { tokens } = account;
	const { document } = context;
	context.onSent(place, {
		accept: () => tokens.accept(token, document),
		reject: () => tokens.reject(token, document),
	});
}

/** The failure of a request that may not be sent. If n8n then asks for a token for it, it gets the same failure again. */
function giveUp(request: SignedRequest, text: FailureText): TokenFailure {
	const failure = new TokenFailure(text);
	request.progress = { step: 'givenUp', failure };
	return failure;
}

/** What n8n takes for an expired token. */
function needToken(request: SignedRequest): Error {
	request.progress = { step: 'tokenNeeded' };
	return Object.assign(new Error('A new token is needed'), { response: { status: 401 } });
}
