import type { ICredentialDataDecryptedObject, IHttpRequestHelper } from 'n8n-workflow';
import { TOKEN_PATH } from '../../api/tokenEndpoint';
import { accountOf, keeperOf, storedToken } from './account';
import {
	addressOf,
	confined,
	mergeHeaders,
	refusalOf,
	withUrl,
	type RequestOptions,
} from './confinement';
import { exchange, tokenRequest } from './exchange';
import { toStoredFields, type StoredFields } from './issuedToken';
import { TokenFailure } from './tokenFailure';
import type { Signature } from './tokenKeeper';

/** What is known about a request. n8n hands over the same credential object at each step of one request. */
interface RequestState {
	/** Whether the request itself has been seen: n8n may call for a token before. */
	isKnown: boolean;
	/** Whether it is spelled in the older way: n8n then sends it again only if it is given a token (n8n 1.123 and 2.40). */
	isOlder: boolean;
	/** How it was signed last. */
	signature?: Signature | undefined;
	/** Whether it is the credential test. */
	isTest: boolean;
	/** Whether username and password have been exchanged for a token on behalf of this very request. */
	isProven: boolean;
	/** Why the request may not be signed at all. */
	refusal?: TokenFailure | undefined;
}

const states = new WeakMap<ICredentialDataDecryptedObject, RequestState>();

/**
 * Obtains a token for a request: n8n calls it when the credential holds none, and after the request failed.
 *
 * The first kind of call comes before the request is known. While a failed login is remembered, it is answered with
 * nothing, and {@link signRequest} decides: the credential test is to try at once, any other request is not.
 *
 * A token is given to n8n once, by the call that has exchanged it, unless n8n needs it to send the request again;
 * {@link signRequest} finds it for all others. n8n stores it by reading the whole credential and writing it back, which
 * undoes an edit that is saved meanwhile (n8n 1.123 and 2.40), so it must not do so for each request that is rejected.
 *
 * @returns the fields that n8n stores in the credential; without any, n8n stores nothing.
 * @throws TokenFailure when no token can be had.
 */
export async function obtainToken(
	{ httpRequest }: IHttpRequestHelper['helpers'],
	credential: ICredentialDataDecryptedObject,
): Promise<Partial<StoredFields>> {
	const { connection, key } = accountOf(credential);
	const keeper = keeperOf(key);
	const state = stateOf(credential);
	if (state.refusal) throw state.refusal;
	if (!state.isKnown && keeper.rememberedFailure()) return {};

	let isObtained = false;
	const { token, failure } = await keeper.renew(state.signature, state.isTest, async () => {
		state.isProven = true;
		isObtained = true;
		return await exchange(httpRequest, connection);
	});
	if (failure) throw new TokenFailure(failure);
	state.isProven ||= state.isTest;
	return isObtained || state.isOlder ? toStoredFields(connection, token) : {};
}

/**
 * Signs a request with the bearer token and the version header. Headers that the user has set stay.
 *
 * Where the stored token has ended or belongs to another account, it throws what n8n takes for the answer 401: n8n
 * then obtains a token and signs again, without a request that was bound to fail. The declarative form of signing
 * cannot do that, and costs more than twice as much CPU for a request (n8n 2.40).
 *
 * @throws TokenFailure when the address is not the service's own.
 */
export function signRequest(
	credential: ICredentialDataDecryptedObject,
	options: RequestOptions,
): RequestOptions {
	const account = accountOf(credential);
	const { connection, key } = account;
	const keeper = keeperOf(key);
	const state = stateOf(credential);
	const isRepeated = state.isKnown;

	state.isKnown = true;
	state.isOlder = options.uri !== undefined;
	state.isTest = isCredentialTest(options);
	if (state.isTest) {
		if (!state.isProven) throw tokenNeeded();
		keeper.noteLogin();
		const request = tokenRequest(connection);
		return { ...withUrl(options, request.url), ...request };
	}

	const url = addressOf(options);
	state.refusal = refusalOf(url, connection);
	if (!url || state.refusal) throw state.refusal;

	const ownHeader = state.signature && authorization(state.signature);
	state.signature = keeper.sign(storedToken(account, credential), isRepeated);
	if (!state.signature) throw tokenNeeded();

	const { token } = state.signature;
	if (token.value !== credential.accessToken) {
		Object.assign(credential, toStoredFields(connection, token));
	}
	return {
		...confined(options, url, connection),
		headers: mergeHeaders(options.headers, ownHeader, {
			Authorization: authorization(state.signature),
			[connection.versionHeader]: connection.dataVersion,
		}),
	};
}

function stateOf(credential: ICredentialDataDecryptedObject): RequestState {
	let state = states.get(credential);
	if (!state) {
		state = { isKnown: false, isOlder: false, isTest: false, isProven: false };
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

function authorization({ token }: Signature): string {
	return `Bearer ${token.value}`;
}
