import { LruCache } from '../utils/lruCache';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../utils/time';

/** Time between two logins because of documents that were answered with 401. A poll that a person waits for has 28 seconds. */
const INTERVAL_MS = 10 * SECOND_MS;
/** The same if nothing but 401 was answered since the last two. */
const IN_VAIN_INTERVAL_MS = 5 * MINUTE_MS;
/** Do not log in again for this long for a document that the service rejects although it accepts the token. */
const REMEMBERED_MS = HOUR_MS;
const MAX_REMEMBERED = 500;
/** Time between two logins because requests of HTTP Request nodes failed. */
const HTTP_NODE_INTERVAL_MS = 5 * MINUTE_MS;

/** What failed, so that a login may bring a better token. */
export type RenewalReason = 'document' | 'httpNode';

/**
 * Decides whether a failed request is worth a login, because it may have failed for another reason than its token.
 *
 * 401 is published as "no valid authentication", but some services answer so for a document that the account may not read.
 * 403 is published as "no permission", so it never causes a login. n8n does not say why a request of an HTTP Request node failed.
 *
 * The first row that applies counts, and a document accepts a token if it is answered with another status:
 *
 * | A document fails with 401 …                                                        | Decision                    |
 * | ---------------------------------------------------------------------------------- | --------------------------- |
 * | within an hour after a fresh token was rejected, but others accept the current one | Give up: the 401 is its own |
 * | and nothing but 401 was answered since the last two such logins                    | Give up for five minutes    |
 * | and nothing but 401 was answered since the last such login                         | Give up for ten seconds     |
 * | within ten seconds after such a login that has helped                              | Wait, then decide again     |
 * | in any other case                                                                  | Log in                      |
 *
 * A failed request of an HTTP Request node causes a login once in five minutes.
 */
export class Relogin {
	/** Whether the service has accepted the current token for a document. */
	private isTokenAccepted = false;
	/** When a login because of a 401 has succeeded. */
	private lastLoginAt = -Infinity;
	/** How many of them have succeeded since the service last accepted a token. */
	private loginsSinceAccepted = 0;
	private httpNodeLoginAt = -Infinity;
	/** When each document was rejected with a fresh token. */
	private readonly documents = new LruCache(MAX_REMEMBERED, () => ({ rejectedAt: -Infinity }));

	/** Decides what to do after a 401. @param document identifies it. */
	after401(document: string, now: number): 'logIn' | 'giveUp' | { waitMs: number } {
		const { rejectedAt } = this.documents.get(document);
		if (this.isTokenAccepted && now - rejectedAt < REMEMBERED_MS) return 'giveUp';
		const intervalMs = this.loginsSinceAccepted > 1 ? IN_VAIN_INTERVAL_MS : INTERVAL_MS;
		const leftMs = this.lastLoginAt + intervalMs - now;
		if (leftMs <= 0) return 'logIn';
		// A timer of Node.js may be a fraction of a millisecond early.
		return this.loginsSinceAccepted > 0 ? 'giveUp' : { waitMs: Math.ceil(leftMs) };
	}

	/** Returns whether a failed request of an HTTP Request node is worth a login. */
	mayLogInForHttpNode(now: number): boolean {
		return now - this.httpNodeLoginAt >= HTTP_NODE_INTERVAL_MS;
	}

	/**
	 * A login has succeeded. Failed ones do not count: they say nothing about the token.
	 *
	 * @param reason undefined if there was no valid token.
	 */
	reportLoggedIn(reason: RenewalReason | undefined, now: number): void {
		this.isTokenAccepted = false;
		if (reason === 'httpNode') {
			this.httpNodeLoginAt = now;
		} else if (reason === 'document') {
			this.lastLoginAt = now;
			this.loginsSinceAccepted += 1;
		}
	}

	/** The service has answered with another status than 401, so the current token is good. */
	reportAccepted(document: string): void {
		this.isTokenAccepted = true;
		this.loginsSinceAccepted = 0;
		this.documents.delete(document);
	}

	/** The service has rejected a document with a token that is newer than an earlier 401 for it. */
	reportRejectedAgain(document: string, now: number): void {
		this.documents.get(document).rejectedAt = now;
	}
}
