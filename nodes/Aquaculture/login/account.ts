import { createHash } from 'node:crypto';
import { LoggerProxy } from 'n8n-workflow';
import { systemClock, type Clock } from '../utils/clock';
import { LruCache } from '../utils/lruCache';
import { RateLimiter } from '../limit/rateLimiter';
import type { CredentialSettings } from './credentialSettings';
import { TokenSource } from './tokenSource';

const MAX_ACCOUNTS = 100;
/** An edit of the password leaves the tokens of the old one behind. */
const MAX_LOGINS = 10;

/** The account of a credential: its settings in this execution, and what this process remembers of it. */
export interface Account {
	readonly settings: CredentialSettings;
	readonly clock: Clock;
	readonly limiter: RateLimiter;
	readonly tokens: TokenSource;
}

/** Holds tokens, but no passwords. */
const accounts = new LruCache(
	MAX_ACCOUNTS,
	() => ({ limiter: new RateLimiter(), logins: new LruCache(MAX_LOGINS, () => new TokenSource()) }),
	({ limiter }) => limiter.isIdle,
);

/**
 * Finds the account of a credential. Credentials with the same origin and username share a rate limiter, because the service
 * does not document by what it counts requests (docs/service-interface.md, "Not known"). They share tokens if everything that
 * a login sends is the same too.
 */
export function getAccount(settings: CredentialSettings): Account {
	const { origin, username, baseUrl, password, versionHeader, tokenVersion } = settings;
	const { limiter, logins } = accounts.get(`${origin} ${username}`);
	const tokens = logins.get(
		digest([baseUrl, password, versionHeader, tokenVersion, settings.allowUnauthorizedCerts]),
	);
	return { settings, clock: systemClock, limiter, tokens };
}

/** Returns a digest that identifies values without keeping them. */
export function digest(values: readonly unknown[]): string {
	return createHash('sha256').update(JSON.stringify(values)).digest('base64');
}

/** Writes to n8n's log at debug level. @param details without secrets; times in milliseconds. */
export function logDebug(
	{ settings }: Account,
	message: string,
	details: Record<string, unknown>,
): void {
	const account = `${settings.username.slice(0, 2)}***`;
	LoggerProxy.debug(`Aquaculture: ${message}`, { account, origin: settings.origin, ...details });
}
