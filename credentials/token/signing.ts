import type { ICredentialDataDecryptedObject, IHttpRequestHelper } from 'n8n-workflow';
import { TOKEN_PATH } from '../../api/tokenEndpoint';
import type { Account } from '../../shared/account/accounts';
import type { IssuedToken } from '../../shared/account/issuedToken';
import { contextOf, type RequestContext } from '../../shared/account/requestContext';
import type { ExchangeOutcome } from '../../shared/account/tokenCache';
import type { Place } from '../../shared/budget/budget';
import { describeClosed } from '../../shared/budget/closed';
import { accountOfCredential } from './account';
import { readKnownSites } from '../../shared/knownSites';
import { MESSAGES } from '../../shared/messages';
import {
	addressOf,
	confined,
	mergeHeaders,
	refusalOf,
	withUrl,
	type RequestOptions,
} from './confinement';
import { exchange, tokenRequest } from './exchange';
import { storedToken, toStoredFields, type StoredFields } from './storedToken';
import { TokenFailure } from './tokenFailure';

/** How long a credential test may wait for the budget: a person is watching. */
const MAX_TEST_WAIT_MS = 5_000;
/** How long a request of another node may wait for it. It cannot be cancelled while it waits. */
const MAX_WAIT_MS = 5 * 60_000;

/** A request that n8n has signed, in one step or in several. */
interface SignedRequest {
	readonly account: Account;
	/** What the node has announced of it; undefined for credential tests and for requests of other nodes. */
	readonly context: RequestContext | undefined;
	/** Whether {@link signRequest} has seen it: n8n may call for a token before. */
	isKnown: boolean;
	/** Whether it is spelled in the older way: n8n then sends it again only if it is given a token (n8n 1.123 and 2.40). */
	isOlder: boolean;
	isTest: boolean;
	/** How long it has waited for the budget so far, in milliseconds. */
	waitedMs: number;
	/** The token that was obtained for this very request. */
	obtained?: IssuedToken;
	/** The token that it was sent with. */
	sentWith?: IssuedToken;
	/** Its place in the budget, where no node reports how it was answered. */
	place?: Place;
	/** Why it may not be sent at all. */
	refusal?: TokenFailure | undefined;
}

/**
 * Obtains a token for a request. n8n calls it when the credential holds none, when {@link signRequest} asks for one, and
 * after any failure of a request that is spelled in the older way.
 *
 * The first kind of call comes before the request is known. It returns nothing, so that {@link signRequest} decides: a
 * request waits for the budget first, and the token is chosen after that.
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
	const request = requestOf(credential);
	const { account, isKnown, isOlder, isTest, sentWith, refusal } = request;
	if (refusal) throw refusal;
	if (!isKnown) return {};

	request.place?.fail();
	let isExchanged = false;
	const outcome = await retryDeferred(request, async (reserved) => {
		const exchangeNow = async () => {
			isExchanged = true;
			return await exchange(httpRequest, account, reserved.take());
		};
		return sentWith
			? await account.tokens.replace(sentWith, exchangeNow)
			: await account.tokens.renew(isTest, exchangeNow);
	});
	if (!outcome) return {};
	if (outcome.failure) throw new TokenFailure(outcome.failure);
	request.obtained = outcome.token;
	return isExchanged || isOlder ? toStoredFields(account.connection, outcome.token) : {};
}

/**
 * Signs a request with the bearer token and the version header, once its account may send it. Headers that the user has
 * set stay.
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
	const request = requestOf(credential);
	const { connection } = request.account;
	const isRepeated = request.isKnown;
	request.isKnown = true;
	request.isOlder = options.uri !== undefined;
	request.isTest = isCredentialTest(options);
	if (request.isTest) return await signTest(request, credential, options);

	const url = addressOf(options);
	request.refusal = refusalOf(url, connection);
	if (!url || request.refusal) throw request.refusal;

	const place = await enterBudget(request, isRepeated);
	const token = tokenFor(request, credential);
	if (!token) {
		place.giveBack();
		throw tokenNeeded();
	}
	const ownHeader = request.sentWith && authorization(request.sentWith);
	markSent(request, place, token);
	if (token.value !== credential.accessToken) {
		Object.assign(credential, toStoredFields(connection, token));
	}
	return {
		...confined(options, url, connection),
		headers: mergeHeaders(options.headers, ownHeader, {
			Authorization: authorization(token),
			[connection.versionHeader]: connection.dataVersion,
		}),
	};
}

/** Turns a credential test into a login request. It follows an exchange, so a test logs in twice. */
async function signTest(
	request: SignedRequest,
	{ knownSites }: ICredentialDataDecryptedObject,
	options: RequestOptions,
): Promise<RequestOptions> {
	if (!request.obtained) throw tokenNeeded();
	const [fault, ...others] = readKnownSites(knownSites).faults;
	if (!fault) await enterBudget(request);
	const { connection, tokens } = request.account;
	tokens.noteCredentialTest();
	if (fault) throw new TokenFailure(MESSAGES.credential.knownSites([fault, ...others]));
	const login = tokenRequest(connection);
	return { ...withUrl(options, login.url), ...login };
}

const requests = new WeakMap<ICredentialDataDecryptedObject, SignedRequest>();

/** The request that a credential object was handed over for: n8n hands over the same object at each step of it. */
function requestOf(credential: ICredentialDataDecryptedObject): SignedRequest {
	const known = requests.get(credential);
	if (known) return known;
	const context = contextOf(credential);
	const account = accountOfCredential(credential, context);
	const request = { account, context, isKnown: false, isOlder: false, isTest: false, waitedMs: 0 };
	requests.set(credential, request);
	return request;
}

/** Waits until the account may send the request. */
async function enterBudget(request: SignedRequest, hadItsTurn = false): Promise<Place> {
	const { account, context, isTest } = request;
	const { budget, connection } = account;
	const lane = context?.lane ?? budget.others;
	const beganAt = performance.now();
	const place = await budget.enter({
		lane,
		requestsPerMinute: connection.requestsPerMinute,
		maxWaitMs: context?.maxWaitMs() ?? maxWaitMsOf(request),
		signal: context?.signal,
		isUrgent: isTest,
		hadItsTurn,
		isUnseen: context === undefined,
	});
	request.waitedMs += performance.now() - beganAt;
	if (place) return place;
	context?.onTooLate();
	request.refusal = new TokenFailure(describeClosed(budget, lane));
	throw request.refusal;
}

function maxWaitMsOf({ isTest, obtained, waitedMs }: SignedRequest): number {
	// A test logs in twice: where the account may send one request a minute, it would never pass otherwise.
	const isFirstLogin = isTest && !obtained;
	return (isFirstLogin ? MAX_TEST_WAIT_MS : MAX_WAIT_MS) - waitedMs;
}

function tokenFor(
	{ account, context, obtained }: SignedRequest,
	credential: ICredentialDataDecryptedObject,
): IssuedToken | undefined {
	const token = account.tokens.choose(storedToken(account, credential));
	// The obtained one may have been rejected for another request meanwhile. The node asks for another one itself, but
	// for other nodes, n8n asks only once.
	return token ?? (context ? undefined : obtained);
}

/** The node reports the answer to its request. A request of another node counts as unanswered. */
function markSent(request: SignedRequest, place: Place, token: IssuedToken): void {
	const { account, context } = request;
	request.sentWith = token;
	if (!context) {
		request.place = place;
		return;
	}
	const { tokens } = account;
	const { document } = context;
	context.onSent(place, {
		accept: () => tokens.accept(token, document),
		reject: () => tokens.reject(token, document),
	});
}

/** A place in the budget for an exchange, which may turn out not to be needed. */
class Reservation {
	constructor(private place?: Place) {}

	take(): Place | undefined {
		const { place } = this;
		this.place = undefined;
		return place;
	}
}

/**
 * Repeats an exchange that the budget has deferred, with the place that the request itself has waited for. If the
 * place were given back first, requests that all need a token could pass it to one another without end.
 */
async function retryDeferred(
	request: SignedRequest,
	obtain: (reserved: Reservation) => Promise<ExchangeOutcome | undefined>,
): Promise<Exclude<ExchangeOutcome, { isDeferred: true }> | undefined> {
	for (let place: Place | undefined; ; place = await enterBudget(request, true)) {
		const reserved = new Reservation(place);
		const outcome = await obtain(reserved);
		reserved.take()?.giveBack();
		if (!outcome?.isDeferred) return outcome;
	}
}

/** The credential's test is the one request to the token endpoint that is spelled as declarative requests are. */
function isCredentialTest({ method, url, baseURL }: RequestOptions): boolean {
	return method === 'POST' && url === TOKEN_PATH && baseURL !== undefined;
}

/** What n8n takes for an expired token. */
function tokenNeeded(): Error {
	return Object.assign(new Error('A new token is needed'), { response: { status: 401 } });
}

function authorization({ value }: IssuedToken): string {
	return `Bearer ${value}`;
}
