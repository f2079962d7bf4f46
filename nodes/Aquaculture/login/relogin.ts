import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../utils/time';

/** What the service has answered since the latest login because of a 401. */
type Outcome = 'accepted' | 'untested' | 'inVain';

/** Time between two logins because of a 401. A poll that a person waits for has 28 seconds. */
const INTERVAL_MS: Record<Outcome, number> = {
	accepted: 10 * SECOND_MS,
	untested: 10 * SECOND_MS,
	inVain: 5 * MINUTE_MS,
};
/** Do not log in again for this long for a document that was rejected with a fresh token. */
const REJECTED_MS = 5 * MINUTE_MS;
/** The same if the service accepted that token for another document: the 401 is the document's own. */
const OWN_REJECTION_MS = HOUR_MS;
const MAX_REJECTIONS = 500;
/** Time between two logins because requests of HTTP Request nodes failed. */
const HTTP_NODE_INTERVAL_MS = 5 * MINUTE_MS;

/** What to do after a 401: send the request again with another token, decide again after a wait, or accept the failure. */
export type After401 = 'getAnotherToken' | { waitMs: number } | 'giveUp';

/**
 * Decides whether a failed request is worth a login, because it may have failed for another reason than its token. If it is, a
 * login is due until one has succeeded.
 *
 * 401 is published as "no valid authentication", but some services answer so for a document that the account may not read.
 * 403 is published as "no permission", so it never causes a login. n8n does not say why a request of an HTTP Request node failed:
 * it is worth a login once in five minutes.
 *
 * While a login is due, any 401 is worth it. Otherwise, a document that was rejected with a fresh token, too, is given up for five
 * minutes, or for an hour if that token was accepted for another document. For any other 401, the outcome of the latest login
 * because of one decides:
 *
 * | Outcome  | Since that login                                       | Next login            | Until then |
 * | -------- | ------------------------------------------------------ | --------------------- | ---------- |
 * | accepted | the service has accepted a token, or there was none    | ten seconds after it  | wait       |
 * | untested | the service has accepted no token yet                  | ten seconds after it  | give up    |
 * | inVain   | no token since the last two such logins, or even more  | five minutes after it | give up    |
 *
 * Whether a 401 is the document's own is judged by the token that it was rejected with, and kept when there is another one. If it
 * were judged by the current token, a trigger whose list begins with such a document would log in at every poll, because
 * nothing has been fetched with the newest token yet.
 */
export class Relogin {
	/**
	 * Why a login is due. Until one succeeds, HTTP Request nodes log in first, and so does a request whose own token was rejected.
	 * Others keep using the token.
	 */
	private due: 'document' | 'httpNode' | undefined;
	/** When a login because of a 401 has succeeded. */
	private lastReloginAt = -Infinity;
	private outcome: Outcome = 'accepted';
	/** The latest login for any reason, and whether the service has accepted its token for a document. */
	private lastLogin = { at: -Infinity, isAccepted: false };
	private lastHttpNodeLoginAt = -Infinity;
	/** When each document was rejected with a fresh token, and whether that is the document's own; the oldest first. */
	private readonly rejections = new Map<string, { at: number; isOwn: boolean }>();

	/** Whether a login may bring a better token than the current one. */
	get isDue(): boolean {
		return this.due !== undefined;
	}

	/** Decides what to do after a 401. If another token may help, a login is due. @param document identifies it. */
	after401(document: string, now: number): After401 {
		if (this.isDue) return 'getAnotherToken';
		const rejection = this.rejections.get(document);
		const giveUpMs = rejection?.isOwn ? OWN_REJECTION_MS : REJECTED_MS;
		if (rejection && now - rejection.at < giveUpMs) return 'giveUp';
		// A timer of Node.js may be a fraction of a millisecond early.
		const waitMs = Math.ceil(this.lastReloginAt + INTERVAL_MS[this.outcome] - now);
		if (waitMs <= 0) {
			this.due = 'document';
			return 'getAnotherToken';
		}
		return this.outcome === 'accepted' ? { waitMs } : 'giveUp';
	}

	/** Notes that a request of an HTTP Request node has failed, perhaps because of its token. */
	reportHttpNodeFailed(now: number): void {
		if (now - this.lastHttpNodeLoginAt >= HTTP_NODE_INTERVAL_MS) this.due ??= 'httpNode';
	}

	/** Notes that a login has succeeded, for whatever reason. Failed ones do not count: they say nothing about the token. */
	reportLoggedIn(now: number): void {
		this.lastLogin = { at: now, isAccepted: false };
		if (this.due === 'httpNode') {
			this.lastHttpNodeLoginAt = now;
		} else if (this.due === 'document') {
			this.lastReloginAt = now;
			this.outcome = this.outcome === 'accepted' ? 'untested' : 'inVain';
		}
		this.due = undefined;
	}

	/** The service has answered a document with a status that shows that the token is good. */
	reportAccepted(document: string): void {
		this.outcome = 'accepted';
		this.lastLogin.isAccepted = true;
		this.rejections.delete(document);
		for (const rejection of this.rejections.values()) {
			rejection.isOwn ||= rejection.at >= this.lastLogin.at;
		}
	}

	/** The service has rejected a document with a token that is newer than an earlier 401 for it. */
	reportRejectedAgain(document: string, now: number): void {
		// A Map keeps the order of insertion.
		this.rejections.delete(document);
		this.rejections.set(document, { at: now, isOwn: this.lastLogin.isAccepted });
		const [oldest] = this.rejections.keys();
		if (this.rejections.size > MAX_REJECTIONS) this.rejections.delete(oldest as string);
	}
}
