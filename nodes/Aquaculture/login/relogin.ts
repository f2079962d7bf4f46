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
 * The first row that applies counts:
 *
 * | What failed                                                              | Decision                                       |
 * | ------------------------------------------------------------------------ | ---------------------------------------------- |
 * | A document: 401 with a fresh token that was accepted for another one     | Give up for an hour: the 401 is the document's |
 * | A document: 401 with any other fresh token                               | Give up for five minutes                       |
 * | A document: 401, and nothing but 401 since the last two such logins      | Give up for five minutes                       |
 * | A document: 401, and nothing but 401 since the last such login           | Give up for ten seconds                        |
 * | A document: 401 within ten seconds after such a login that has helped    | Wait, then decide again                        |
 * | A document: any other 401                                                | Log in                                         |
 * | A request of an HTTP Request node                                        | Log in once in five minutes                    |
 *
 * Whether a 401 is the document's own is judged by the token that it was rejected with, and kept when there is another one. If it
 * were judged by the current token, a trigger whose list begins with such a document would log in at every poll, because
 * nothing has been fetched with the newest token yet.
 */
export class Relogin {
	/** When a login because of a 401 has succeeded. */
	private lastLoginAt = -Infinity;
	/** When the current token was issued, and whether the service has accepted it for a document. */
	private token = { issuedAt: -Infinity, isAccepted: false };
	/** How many logins because of a 401 have succeeded since the service last accepted a token. */
	private loginsSinceAccepted = 0;
	private httpNodeLoginAt = -Infinity;
	/** When each document was rejected with a fresh token, and whether that is the document's own; the oldest first. */
	private readonly rejections = new Map<string, { at: number; isOwn: boolean }>();

	/** Decides what to do after a 401. @param document identifies it. */
	after401(document: string, now: number): 'logIn' | 'giveUp' | { waitMs: number } {
		const sinceMs = now - this.lastLoginAt;
		const { at = -Infinity, isOwn = false } = this.rejections.get(document) ?? {};
		if (now - at < (isOwn ? REMEMBERED_MS : IN_VAIN_INTERVAL_MS)) return 'giveUp';
		const intervalMs = this.loginsSinceAccepted > 1 ? IN_VAIN_INTERVAL_MS : INTERVAL_MS;
		if (sinceMs >= intervalMs) return 'logIn';
		// A timer of Node.js may be a fraction of a millisecond early.
		return this.loginsSinceAccepted > 0 ? 'giveUp' : { waitMs: Math.ceil(intervalMs - sinceMs) };
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
		this.token = { issuedAt: now, isAccepted: false };
		if (reason === 'httpNode') {
			this.httpNodeLoginAt = now;
		} else if (reason === 'document') {
			this.lastLoginAt = now;
			this.loginsSinceAccepted += 1;
		}
	}

	/** The service has answered a document with a status that shows that the token is good. */
	reportAccepted(document: string): void {
		this.loginsSinceAccepted = 0;
		this.token.isAccepted = true;
		this.rejections.delete(document);
		for (const rejection of this.rejections.values())
			rejection.isOwn ||= rejection.at >= this.token.issuedAt;
	}

	/** The service has rejected a document with a token that is newer than an earlier 401 for it. */
	reportRejectedAgain(document: string, now: number): void {
		// A Map keeps the order of insertion.
		this.rejections.delete(document);
		this.rejections.set(document, { at: now, isOwn: this.token.isAccepted });
		const [oldest] = this.rejections.keys();
		if (this.rejections.size > MAX_REMEMBERED) this.rejections.delete(oldest as string);
	}
}
