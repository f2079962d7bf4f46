import type { ICredentialDataDecryptedObject, IHttpRequestHelper } from 'n8n-workflow';
import { TOKEN_PATH } from '../../api/tokenEndpoint';
import type { Place } from '../../shared/budget/budget';
import { budgetOf } from '../../shared/budget/budgets';
import { describeClosed } from '../../shared/budget/closed';
import { passageOf } from '../../shared/budget/passage';
import { accountOf, keeperOf, storedToken, type Account } from './account';
import {
	addressOf,
	confined,
	mergeHeaders,
	refusalOf,
	withUrl,
	type RequestOptions,
} from './confinement';
import { exchange, tokenRequest, type ExchangeOutcome } from './exchange';
import { toStoredFields, type IssuedToken, type StoredFields } from './issuedToken';
import { TokenFailure } from './tokenFailure';

/** How long a credential test may wait for the budget: a person is watching. */
const TEST_PATIENCE_MS = 5_000;
/** How long a request of another node may. It cannot be cancelled meanwhile. */
const OTHERS_PATIENCE_MS = 5 * 60_000;

/** What is known about a request. n8n hands over the same credential object at each step of one request. */
interface RequestState {
	/** Whether the request itself has been seen: n8n may call for a token before. */
	isKnown: boolean;
	/** Whether it is spelled in the older way: n8n then sends it again only if it is given a token (n8n 1.123 and 2.40). */
	isOlder: boolean;
	/** Whether it is the credential test. */
	isTest: boolean;
	/** The token that was obtained for this very request. */
	obtained?: IssuedToken;
	/** How long it has waited for the budget so far, in milliseconds. */
	waitedMs: number;
	/** The token that it was sent with. */
	carried?: IssuedToken;
	/** Its place in the budget, where nobody else will say how it was answered. */
	place?: Place;
	/** Why the request may not be sent at all. */
	refusal?: TokenFailure | undefined;
}

const states = new WeakMap<ICredentialDataDecryptedObject, RequestState>();

/**
 * Obtains a token for a request. n8n calls it when the credential holds none, when {@link signRequest} asks for one, and
 * after any failure of a request that is spelled in the older way.
 *
 * The first kind of call comes before the request is known. It is answered with nothing, so that {@link signRequest}
 * decides: a request waits for its turn first, and the token is chosen after that.
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
	const account = accountOf(credential);
	const { connection, key } = account;
	const state = stateOf(credential);
	if (state.refusal) throw state.refusal;
	if (!state.isKnown) return {};

	const keeper = keeperOf(key);
	let isObtained = false;
	const exchangeNow = async () => {
		isObtained = true;
		return await exchange(httpRequest, connection);
	};
	const { carried } = state;
	state.place?.fail();
	const outcome = await whenNotHeld(account, credential, async () =>
		carried
			? await keeper.replace(carried, exchangeNow)
			: await keeper.renew(state.isTest, exchangeNow),
	);
	if (!outcome) return {};
	if (outcome.failure) throw new TokenFailure(outcome.failure);
	state.obtained = outcome.token;
	return isObtained || state.isOlder ? toStoredFields(connection, outcome.token) : {};
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
	const account = accountOf(credential);
	const { connection, key } = account;
	const keeper = keeperOf(key);
	const state = stateOf(credential);
	const isRepeated = state.isKnown;

	state.isKnown = true;
	state.isOlder = options.uri !== undefined;
	state.isTest = isCredentialTest(options);
	if (state.isTest) {
		if (!state.obtained) throw tokenNeeded();
		await enterBudget(account, credential);
		keeper.noteTest();
		const request = tokenRequest(connection);
		return { ...withUrl(options, request.url), ...request };
	}

	const url = addressOf(options);
	state.refusal = refusalOf(url, connection);
	if (!url || state.refusal) throw state.refusal;

	const place = await enterBudget(account, credential, isRepeated);
	const passage = passageOf(credential);
	// The one that was obtained may have been rejected for another request meanwhile. The node asks for another one itself;
	// for other nodes, n8n asks once.
	const token =
		keeper.choose(storedToken(account, credential)) ?? (passage ? undefined : state.obtained);
	if (!token) {
		place.giveBack();
		throw tokenNeeded();
	}
	const ownHeader = state.carried && authorization(state.carried);
	state.carried = token;
	if (passage) {
		const { document } = passage;
		passage.onSent(place, {
			accept: () => keeper.accept(token, document),
			reject: () => keeper.reject(token, document),
		});
	} else {
		state.place = place;
	}
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

/** Waits until the account may send the request. */
async function enterBudget(
	{ connection }: Account,
	credential: ICredentialDataDecryptedObject,
	hadItsTurn = false,
): Promise<Place> {
	const { requestsPerMinute } = connection;
	const budget = budgetOf(connection);
	const state = stateOf(credential);
	const passage = passageOf(credential);
	const lane = passage?.lane ?? budget.others;
	const beganAt = performance.now();
	const place = await budget.enter({
		lane,
		requestsPerMinute,
		patienceMs: passage?.patienceMs() ?? patienceOf(state),
		signal: passage?.signal,
		isUrgent: state.isTest,
		hadItsTurn,
		isUnseen: passage === undefined,
	});
	state.waitedMs += performance.now() - beganAt;
	if (place) return place;
	passage?.onTooLate();
	state.refusal = new TokenFailure(describeClosed(budget, lane));
	throw state.refusal;
}

function patienceOf({ isTest, obtained, waitedMs }: RequestState): number {
	// A test logs in twice: where the account may send one request a minute, it would never pass otherwise.
	const isFirst = isTest && !obtained;
	return (isFirst ? TEST_PATIENCE_MS : OTHERS_PATIENCE_MS) - waitedMs;
}

/** Repeats an exchange that the budget had no place for, as soon as it has one for the request that needs the token. */
async function whenNotHeld(
	account: Account,
	credential: ICredentialDataDecryptedObject,
	obtain: () => Promise<ExchangeOutcome | undefined>,
): Promise<Exclude<ExchangeOutcome, { isHeld: true }> | undefined> {
	for (;;) {
		const outcome = await obtain();
		if (!outcome?.isHeld) return outcome;
		const place = await enterBudget(account, credential, true);
		place.giveBack();
	}
}

function stateOf(credential: ICredentialDataDecryptedObject): RequestState {
	let state = states.get(credential);
	if (!state) {
		state = { isKnown: false, isOlder: false, isTest: false, waitedMs: 0 };
		states.set(credential, state);
	}
	return state;
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
