import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { checkConnection, CORRECT_CREDENTIAL, type Connection } from '../../api/connection';
import { TOKEN_PATH } from '../../api/endpoints';
import { parseUrl } from '../../api/url';
import { exchange, tokenRequest } from './exchange';
import {
	connectionKey,
	fromStoredFields,
	toStoredFields,
	type IssuedToken,
	type StoredFields,
} from './issuedToken';
import { TokenFailure } from './tokenFailure';
import { TokenKeeper, type Signature } from './tokenKeeper';

/** A request in either spelling: the HTTP Request node still uses the older one (n8n 1.123 and 2.40). */
type RequestOptions = IHttpRequestOptions & {
	uri?: string;
	followRedirect?: boolean;
	followAllRedirects?: boolean;
	rejectUnauthorized?: boolean;
};

/** What is known about a request. n8n hands over the same credential object at each step of one request. */
interface RequestState {
	/** Whether the request itself has been seen: n8n may call for a token before. */
	isKnown: boolean;
	/** How it was signed last. */
	signature?: Signature | undefined;
	/** Whether it is the credential test. */
	isTest: boolean;
	/** Whether username and password have been exchanged for a token on behalf of this very request. */
	isProven: boolean;
	/** Why the request may not be signed at all. */
	refusal?: TokenFailure | undefined;
}

/** How many accounts are remembered; credentials whose password changes leave old ones behind. */
const MAX_KEEPERS = 100;

/** An account as a credential describes it. */
interface Account {
	/** The fields that were read, by which a credential with the same ones is recognised. */
	settings: readonly unknown[];
	connection: Connection;
	/** Names the account in {@link keepers}. */
	key: string;
	/** What was stored last, and the token in it. */
	stored: StoredFields & { token: IssuedToken | undefined };
}

/** All fields that {@link accountOf} depends on. */
const SETTINGS = [
	'baseUrl',
	'username',
	'password',
	'versionHeader',
	'tokenVersion',
	'dataVersion',
	'allowPlainHttp',
	'allowUnauthorizedCerts',
	'allowedHttpRequestDomains',
	'allowedDomains',
];

/**
 * The account of the last request. Checking a credential and its token anew for each request of an execution would cost
 * a tenth of the request.
 */
let latest: Account | undefined;

const keepers = new Map<string, TokenKeeper>();
const states = new WeakMap<ICredentialDataDecryptedObject, RequestState>();

/**
 * Obtains a token for a request: n8n calls it when the credential holds none, and after the request failed.
 *
 * The first kind of call comes before the request is known. While a failed login is remembered, it is answered with
 * nothing, and {@link signRequest} decides: the credential test is to try at once, any other request is not.
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

	const { token, failure } = await keeper.renew(state.signature, state.isTest, async () => {
		state.isProven = true;
		return await exchange(httpRequest, connection);
	});
	if (failure) throw new TokenFailure(failure);
	state.isProven ||= state.isTest;
	return toStoredFields(connection, token);
}

/**
 * Signs a request with the bearer token and the version header. Headers that the user has set stay.
 *
 * Where the stored token has ended or belongs to another account, it throws what n8n takes for the answer 401: n8n
 * then obtains a token and signs again, without a request that was bound to fail. The declarative form of signing
 * cannot do that, and costs about four times as much CPU for a request (n8n 2.40).
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
		state = { isKnown: false, isTest: false, isProven: false };
		states.set(credential, state);
	}
	return state;
}

function accountOf(credential: ICredentialDataDecryptedObject): Account {
	const settings = SETTINGS.map((field) => credential[field]);
	if (latest && settings.every((value, index) => value === latest?.settings[index])) return latest;

	const connection = connectionOf(credential);
	const stored = { accessToken: '', tokenBinding: '', token: undefined };
	latest = { settings, connection, key: connectionKey(connection), stored };
	return latest;
}

function storedToken(
	account: Account,
	credential: ICredentialDataDecryptedObject,
): IssuedToken | undefined {
	const { accessToken, tokenBinding } = credential as StoredFields;
	const { stored } = account;
	if (accessToken !== stored.accessToken || tokenBinding !== stored.tokenBinding) {
		const token = fromStoredFields(account.connection, credential);
		account.stored = { accessToken, tokenBinding, token };
	}
	return account.stored.token;
}

function keeperOf(account: string): TokenKeeper {
	const keeper = keepers.get(account) ?? new TokenKeeper();
	// The one that was used last comes last.
	keepers.delete(account);
	keepers.set(account, keeper);
	const [oldest] = keepers.keys();
	if (keepers.size > MAX_KEEPERS && oldest !== undefined) keepers.delete(oldest);
	return keeper;
}

/** The credential's settings, checked; the domains that n8n's own setting allows included. */
function connectionOf(credential: ICredentialDataDecryptedObject): Connection {
	const { value: connection, fault } = checkConnection(credential);
	if (fault !== undefined) {
		throw new TokenFailure({ message: fault, description: CORRECT_CREDENTIAL });
	}
	if (!allowsDomain(credential, connection.baseUrl)) {
		throw new TokenFailure({
			message: `The Allowed HTTP Request Domains of the credential leave out ${connection.origin}`,
			description: 'Add the domain of the Base URL to the allowed domains in the credential.',
		});
	}
	return connection;
}

/**
 * Whether n8n's "Allowed HTTP Request Domains" allow an address: a list separated by commas, in which `*.` stands for any
 * subdomain. n8n has a function for it, whose parameters differ between 1.x and 2.x.
 */
function allowsDomain(
	{ allowedHttpRequestDomains, allowedDomains }: ICredentialDataDecryptedObject,
	url: string,
): boolean {
	if (allowedHttpRequestDomains !== 'domains') return true;
	const host = parseUrl(url)?.hostname ?? '';
	return String(allowedDomains ?? '')
		.split(',')
		.map((domain) => domain.trim().toLowerCase())
		.some((domain) => (domain.startsWith('*.') ? host.endsWith(domain.slice(1)) : host === domain));
}

/** The credential's test is the one request to the token endpoint that is spelled as declarative requests are. */
function isCredentialTest({ method, url, baseURL }: RequestOptions): boolean {
	return method === 'POST' && url === TOKEN_PATH && baseURL !== undefined;
}

function addressOf({ url, uri, baseURL }: RequestOptions): URL | undefined {
	return parseUrl(url ?? uri ?? '', baseURL);
}

/** Why a request must not be signed: the token goes to the service's own origin only. */
function refusalOf(url: URL | undefined, { origin }: Connection): TokenFailure | undefined {
	if (url?.origin === origin && url.username === '' && url.password === '') return undefined;
	return new TokenFailure({
		message: `This credential is for ${origin} only, and the request goes to another address`,
		description: `Use an address that begins with ${origin}/, without a user name in it, or choose another credential for the request.`,
	});
}

/** What n8n takes for an expired token. */
function tokenNeeded(): Error {
	return Object.assign(new Error('A new token is needed'), { response: { status: 401 } });
}

function authorization({ token }: Signature): string {
	return `Bearer ${token.value}`;
}

/** The request with an absolute address in place of the one it has. */
function withUrl(options: RequestOptions, url: string): RequestOptions {
	const absolute = { ...options, url };
	delete absolute.baseURL;
	return absolute;
}

/** The request with the very address that was checked, and without any redirect to another one. */
function confined(options: RequestOptions, url: URL, connection: Connection): RequestOptions {
	const { allowUnauthorizedCerts } = connection;
	return options.uri === undefined
		? {
				...withUrl(options, url.href),
				disableFollowRedirect: true,
				...(allowUnauthorizedCerts && { skipSslCertificateValidation: true }),
			}
		: {
				...options,
				uri: url.href,
				followRedirect: false,
				followAllRedirects: false,
				...(allowUnauthorizedCerts && { rejectUnauthorized: false }),
			};
}

/** Adds the headers that are not there yet; one that holds `replaceable` counts as not there. */
function mergeHeaders(
	present: IDataObject = {},
	replaceable: string | undefined,
	added: Record<string, string>,
): IDataObject {
	const kept = Object.entries(present).filter(([, value]) => value !== replaceable);
	const keptNames = kept.map(([name]) => name.toLowerCase());
	const missing = Object.entries(added).filter(([name]) => !keptNames.includes(name.toLowerCase()));
	return Object.fromEntries([...kept, ...missing]) as IDataObject;
}
