import { createHash } from 'node:crypto';
import type { SiteList } from '../service/siteList';
import { systemClock, type Clock } from './clock';
import { Limit } from './rateLimiter';
import { LruCache } from './lruCache';
import type { Settings } from './settings';
import { Tokens } from './tokenSource';

const MAX_ACCOUNTS = 100;
/** How many ways to log in an account has at most; an edit of the password leaves an old one behind. */
const MAX_LOGINS = 10;

/** An account as a credential describes it, for one execution; the rest is what this process remembers of it. */
export interface Account {
	readonly settings: Settings;
	readonly clock: Clock;
	readonly limit: Limit;
	readonly tokens: Tokens;
	/** The service's list of sites as it was read last, and the request for it that is under way, by its address and version. */
	readonly lists: LruCache<{
		list?: SiteList;
		readAt: number;
		underWay?: Promise<unknown> | undefined;
	}>;
}

/** What this process remembers. It holds tokens, but no passwords. */
const accounts = new LruCache(
	MAX_ACCOUNTS,
	() => ({ limit: new Limit(), logins: new LruCache(MAX_LOGINS, newLogin) }),
	({ limit }) => limit.isIdle,
);

/** What is remembered of one way to log in. */
function newLogin(): Pick<Account, 'tokens' | 'lists'> {
	return { tokens: new Tokens(), lists: new LruCache(MAX_LOGINS, () => ({ readAt: -Infinity })) };
}

/**
 * The account that a credential leads to. All credentials with the same origin and username share its limit: the service
 * does not document by what it counts requests (docs/service-interface.md, "Not known"). Its tokens are those of
 * one way to log in.
 */
export function accountOf(settings: Settings): Account {
	const { origin, username, baseUrl, password, versionHeader, tokenVersion } = settings;
	const { limit, logins } = accounts.get(`${origin} ${username}`);
	const login = logins.get(
		digest([baseUrl, password, versionHeader, tokenVersion, settings.allowUnauthorizedCerts]),
	);
	return { settings, clock: systemClock, limit, ...login };
}

/** A digest by which values are compared without being kept. */
export function digest(values: readonly unknown[]): string {
	return createHash('sha256').update(JSON.stringify(values)).digest('base64');
}
