import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { checkConnection, type Connection } from '../../shared/connection';
import { LastUsed } from '../../shared/lastUsed';
import { MESSAGES } from '../../shared/messages';
import { accountKey, fromStoredFields, type IssuedToken, type StoredFields } from './issuedToken';
import { TokenFailure } from './tokenFailure';
import { TokenKeeper } from './tokenKeeper';

/** How many accounts are remembered; credentials whose password changes leave old ones behind. */
const MAX_KEEPERS = 100;

/** An account as a credential describes it. */
export interface Account {
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
	'requestsPerMinute',
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

const keepers = new LastUsed(MAX_KEEPERS, () => new TokenKeeper());

/**
 * The account that a credential describes.
 *
 * @throws TokenFailure that names the setting that cannot be used.
 */
export function accountOf(credential: ICredentialDataDecryptedObject): Account {
	const settings = SETTINGS.map((field) => credential[field]);
	if (latest && settings.every((value, index) => value === latest?.settings[index])) return latest;

	const connection = connectionOf(credential);
	const stored = { accessToken: '', tokenBinding: '', token: undefined };
	latest = { settings, connection, key: accountKey(connection), stored };
	return latest;
}

/** The token that the credential holds; undefined where it holds none of this account. */
export function storedToken(
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

/** The tokens of the account of this key. */
export function keeperOf(account: string): TokenKeeper {
	return keepers.get(account);
}

/** The credential's settings, checked; the domains that n8n's own setting allows included. */
function connectionOf(credential: ICredentialDataDecryptedObject): Connection {
	const { value: connection, failure } = checkConnection(credential);
	if (failure) throw new TokenFailure(failure);
	if (!allowsDomain(credential, connection.baseUrl)) {
		throw new TokenFailure(MESSAGES.credential.domains(connection.origin));
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
	const host = new URL(url).hostname;
	return String(allowedDomains ?? '')
		.split(',')
		.map((domain) => domain.trim().toLowerCase())
		.some((domain) => (domain.startsWith('*.') ? host.endsWith(domain.slice(1)) : host === domain));
}
