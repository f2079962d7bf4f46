import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../utils/time';
import { ReauthBackoff } from './reauthBackoff';

/** Time between two logins for documents that were answered with 401. Doubles while they do not help. */
const LOGIN_INTERVAL_MS = { min: 30 * SECOND_MS, max: 30 * MINUTE_MS };
/** Do not log in again for a document that was rejected with a fresh token, for this long. */
const REMEMBERED_MS = HOUR_MS;
const MAX_REMEMBERED = 100;

/**
 * Decides whether to log in after a document was rejected (docs/service-interface.md, "Errors"):
 *
 * - 403 means that the account has no permission: never.
 * - 401 may mean the token or the document: log in and request the document once more, unless a login has just been made for
 *   that reason, or the document was rejected with a fresh token within the last hour.
 */
export class RejectedDocuments {
	private readonly backoff = new ReauthBackoff(LOGIN_INTERVAL_MS);
	/** When each document was rejected with a fresh token, the oldest first. */
	private readonly rejectedAt = new Map<string, number>();

	/**
	 * The service has rejected a document with 401, and no other request has replaced the token since.
	 *
	 * @param isFresh whether the token is newer than an earlier 401 for the document.
	 * @returns in how many milliseconds a login may be made; undefined if it is not likely to help.
	 */
	reportUnauthorized(document: string, isFresh: boolean, now: number): number | undefined {
		if (isFresh) this.remember(document, now);
		const rejectedAt = this.rejectedAt.get(document) ?? -Infinity;
		// If the last login helped another document, the service may have revoked its token, too.
		const mayHelp = isFresh ? this.backoff.hasHelped : now - rejectedAt >= REMEMBERED_MS;
		if (!mayHelp) return undefined;
		return this.backoff.tryStart(now) ? 0 : this.backoff.delayMs(now);
	}

	reportRead(document: string): void {
		this.rejectedAt.delete(document);
	}

	/** The service has accepted a fresh token. */
	reportFreshTokenAccepted(): void {
		this.backoff.reportSucceeded();
	}

	private remember(document: string, now: number): void {
		// The Map keeps the order of insertion.
		this.rejectedAt.delete(document);
		this.rejectedAt.set(document, now);
		const [oldest] = this.rejectedAt.keys();
		if (this.rejectedAt.size > MAX_REMEMBERED) this.rejectedAt.delete(oldest as string);
	}
}
