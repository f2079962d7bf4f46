import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../utils/time';
import { ReauthBackoff } from './reauthBackoff';

/** Time between two logins for documents that were answered with 401. Doubles while they do not help. */
const LOGIN_INTERVAL_MS = { min: 30 * SECOND_MS, max: 30 * MINUTE_MS };
/** Do not log in again for a document that was rejected with a fresh token, for this long. */
const REMEMBERED_MS = HOUR_MS;
const MAX_REMEMBERED = 100;

/** What to do about a 401: send the request again with another token, decide again after a wait, or accept the failure. */
export type After401 = 'resend' | { waitMs: number } | 'giveUp';

/**
 * Decides whether to log in after a 401, which may mean the token or the document (docs/service-interface.md, "Errors"). 403
 * means that the account has no permission, so it never causes a login.
 *
 * | Token                                           | Decision                                                        |
 * | ----------------------------------------------- | --------------------------------------------------------------- |
 * | rejected for the first time                     | Log in and resend                                               |
 * | the same, but a login has just helped           | Wait until half a minute after that login, then decide again    |
 * | the same, but the last login did not help       | Give up until the backoff allows another login                  |
 * | the same, but the document was rejected with a fresh token within the hour | Give up                              |
 * | fresh: newer than an earlier 401 for the document | Give up, unless the last login helped another document: then the service may have revoked this token, too |
 */
export class LoginAfter401 {
	private readonly backoff = new ReauthBackoff(LOGIN_INTERVAL_MS);
	/** When each document was rejected with a fresh token, the oldest first. */
	private readonly rejectedAt = new Map<string, number>();

	/**
	 * @param isFresh whether the token is newer than an earlier 401 for the document.
	 * @returns 'resend' if a login may be made now.
	 */
	decide(documentKey: string, isFresh: boolean, now: number): After401 {
		if (isFresh) this.remember(documentKey, now);
		const rejectedAt = this.rejectedAt.get(documentKey) ?? -Infinity;
		const mayHelp = isFresh ? this.backoff.lastLoginHelped : now - rejectedAt >= REMEMBERED_MS;
		if (!mayHelp) return 'giveUp';
		if (this.backoff.tryStart(now)) return 'resend';
		const waitMs = this.backoff.delayMs(now);
		return waitMs === undefined ? 'giveUp' : { waitMs };
	}

	reportRead(documentKey: string): void {
		this.rejectedAt.delete(documentKey);
	}

	reportFreshTokenAccepted(): void {
		this.backoff.reportSucceeded();
	}

	private remember(documentKey: string, now: number): void {
		// A Map keeps the order of insertion.
		this.rejectedAt.delete(documentKey);
		this.rejectedAt.set(documentKey, now);
		const [oldest] = this.rejectedAt.keys();
		if (this.rejectedAt.size > MAX_REMEMBERED) this.rejectedAt.delete(oldest as string);
	}
}
