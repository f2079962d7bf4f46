import { Budget } from './limit/budget';
import type { Connection } from './connection';
import { digest } from './digest';
import { MINUTE_MS } from '../texts/duration';
import { LruCache } from './lruCache';
import type { IssuedToken } from './issuedToken';
import { TokenChoice } from './tokenChoice';

const MAX_ACCOUNTS = 100;
/** How many ways to log in an account has at most; an edit of the password leaves an old one behind. */
const MAX_LOGINS = 10;

/** An account as a credential describes it, for one execution; budget and tokens are what this process remembers of it. */
export interface Account {
	readonly connection: Connection;
	readonly budget: Budget;
	readonly tokens: TokenChoice;
	/** The token that the credential held last, checked: the check costs more than the rest of the signing. */
	stored?: { accessToken: unknown; tokenBinding: unknown; token: IssuedToken | undefined };
}

/** The memory of this process. It holds tokens, but no passwords. */
const accounts = new LruCache(
	MAX_ACCOUNTS,
	() => ({
		budget: new Budget(),
		tokens: new LruCache(MAX_LOGINS, () => new TokenChoice()),
		lookedUpAt: 0,
	}),
	// An execution looks up its account some time before its first request, which the budget counts.
	({ budget, lookedUpAt }) => budget.isIdle() && performance.now() - lookedUpAt > MINUTE_MS,
);

/**
 * The account that a connection leads to. All credentials with the same origin and username share its budget: the service
 * does not document by what it counts requests (docs/service-interface.md, "Not known"). Its tokens are those of
 * one way to log in. If credentials of an account differ in 'Requests per Minute', the one that was used last counts, so
 * that a correction applies at once.
 */
export function accountOf(connection: Connection): Account {
	const remembered = accounts.get(`${connection.origin} ${connection.username}`);
	remembered.lookedUpAt = performance.now();
	const { budget, tokens } = remembered;
	budget.requestsPerMinute = connection.requestsPerMinute;
	return { connection, budget, tokens: tokens.get(loginKey(connection)) };
}

/** A digest of everything that can make a login succeed or fail. */
function loginKey({
	baseUrl,
	username,
	password,
	versionHeader,
	tokenVersion,
	allowUnauthorizedCerts,
}: Connection): string {
	return digest([baseUrl, username, password, versionHeader, tokenVersion, allowUnauthorizedCerts]);
}
