import { createHash } from 'node:crypto';
import { LoggerProxy } from 'n8n-workflow';
import { systemClock, type Clock } from '../utils/clock';
import { LruCache } from '../utils/lruCache';
import { RateLimiter } from '../limit/rateLimiter';
import type { CredentialSettings } from './credentialSettings';
import { TokenSource } from './tokenSource';

const MAX_ACCOUNTS = 100;
/** An account has several logins if credentials differ, or while a credential is being edited. */
const MAX_LOGINS = 10;

/** An account of the service: the settings of the credential in use, and what all its executions share. */
export interface Account {
	readonly settings: CredentialSettings;
	readonly clock: Clock;
	readonly limiter: RateLimiter;
	readonly tokens: TokenSource;
}

/** Contains tokens, but no passwords. */
const accounts = new LruCache(
	MAX_ACCOUNTS,
	() => ({ limiter: new RateLimiter(), logins: new LruCache(MAX_LOGINS, () => new TokenSource()) }),
	({ limiter }) => limiter.isIdle,
);

/**
 * Returns the account of a credential. Credentials with the same origin and username share a rate limiter, because the
 * service may count requests by either (docs/service-interface.md, "Not known"). They share tokens if everything else that a
 * login sends is the same, too.
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
