import { createHash } from 'node:crypto';
import { LruCache } from '../utils/lruCache';
import { Queue } from '../limit/queue';
import { RateLimiter } from '../limit/rateLimiter';
import type { CredentialSettings } from '../input/credentialSettings';
import { TokenSource } from './tokenSource';

/** So many that none is evicted while its requests count against its rate. */
const MAX_ACCOUNTS = 1000;
/** An account has several logins if credentials differ, or while a credential is being edited. */
const MAX_LOGINS = 10;

/** An account of the service: the settings of the credential in use, and what all its executions share. */
export interface Account {
	readonly settings: CredentialSettings;
	readonly limiter: RateLimiter;
	readonly tokens: TokenSource;
	/** The queue of all HTTP Request nodes whose credentials have this rate. */
	readonly httpNodeQueue: Queue;
}

/** Contains tokens, but no passwords. */
const accounts = new LruCache(MAX_ACCOUNTS, () => ({
	limiter: new RateLimiter(),
	logins: new LruCache(MAX_LOGINS, () => new TokenSource()),
	httpNodeQueues: new Map<number, Queue>(),
}));

/**
 * Returns the account of a credential. Credentials with the same origin and username, in any case, share a rate limiter: the
 * service does not say by which of them it counts requests. They share tokens if everything else that a login sends is the
 * same, too.
 */
export function getAccount(settings: CredentialSettings): Account {
	const { origin, baseUrl, username, password, versionHeader, tokenVersion } = settings;
	const { requestsPerMinute, allowUnauthorizedCerts } = settings;
	const { limiter, logins, httpNodeQueues } = accounts.get(`${origin} ${username.toLowerCase()}`);
	const tokens = logins.get(
		digest([baseUrl, username, password, versionHeader, tokenVersion, allowUnauthorizedCerts]),
	);
	const httpNodeQueue =
		httpNodeQueues.get(requestsPerMinute) ?? new Queue('httpNode', requestsPerMinute);
	httpNodeQueues.set(requestsPerMinute, httpNodeQueue);
	return { settings, limiter, tokens, httpNodeQueue };
}

/** Returns a digest that identifies values without keeping them. */
export function digest(values: readonly unknown[]): string {
	return createHash('sha256').update(JSON.stringify(values)).digest('base64');
}
