import type { AccessToken } from '../service/token';
import { doublingMs, MINUTE_MS, SECOND_MS, type Clock } from '../utils/time';

/*
 * What happens to a document that is answered with 401?
 *
 * A 401 is published as "no valid authentication", but some services answer so for a document that the account may not read. (403
 * is published as "no permission", so it never causes a login.) So either the token or the document may be why. The first rule that
 * fits decides:
 *
 * 1. A document is sent with four tokens at most.
 * 2. If another token has replaced this one, or a login decides, the document is sent again with that token, or fails with that login.
 * 3. A document that another token did not help causes no login for five minutes, so it gives up.
 * 4. If nothing was accepted since the last login because of a 401, the next one may follow ten seconds after it, then twenty, forty
 *    … up to five minutes. Until then, documents give up.
 * 5. Otherwise the document is sent again after a login that all such documents share, ten seconds after the last such login at the
 *    earliest.
 *
 * Rule 3 is for single documents that the account may not read. With rule 4 alone, they would delay the login that a revoked token
 * needs: in random days, 4 % of the other reads were lost. Rule 4 is for an account that may read nothing.
 */

/** Send a document with this many tokens at most. The second 401 usually ends it, unless there is yet another token by then. */
const MAX_TOKENS = 4;
/** Doubles between logins because of a 401. The minimum is short for a poll that a person waits for: it has 28 seconds. */
const BETWEEN_RELOGINS_MS = { min: 10 * SECOND_MS, max: 5 * MINUTE_MS };
/** After this many rejections in a row, the token is bad for all documents, and not only for these. */
const MAX_REJECTED_IN_A_ROW = 10;
/** An older rejection tells nothing about the current token, which may have been revoked since. */
const REJECTION_COUNTS_MS = 5 * MINUTE_MS;

/** The last 401 to the request for a document. */
interface Rejection {
	token: AccessToken;
	at: number;
	/** When a token after the first rejected one was rejected, too; undefined if that has not happened. */
	otherTokenFailedAt: number | undefined;
}

/** A document that the service has just rejected. */
interface Answer401 {
	/** Identifies it. */
	path: string;
	token: AccessToken;
	/** With how many tokens it was sent, including this one. */
	tokensTried: number;
	/** Whether another token has replaced this one. */
	isReplaced: boolean;
	/** Whether a login in progress decides, or a failed one that delays the next. */
	loginDecides: boolean;
}

/** What becomes of a document after a 401. */
export type Decision = 'giveUp' | { resendInMs: number };

/** Remembers what was answered with 401, and decides what becomes of it. */
export class RejectedDocuments {
	/** The last login because of a 401, and how many of them in a row did not lead to an accepted token. */
	private lastRelogin = { at: -Infinity, withoutSuccess: 0 };
	/** How many answers in a row were a 401, of whatever documents. */
	private inARow = 0;
	/** By path, the longest ago first. */
	private readonly rejections = new Map<string, Rejection>();

	constructor(private readonly clock: Clock) {}

	/** Whether the token seems to be bad for all documents. */
	get seemToBeAll(): boolean {
		return this.inARow >= MAX_REJECTED_IN_A_ROW;
	}

	/** Records a 401, and decides by the rules above whether the document is sent again, with another token. */
	decide({ path, token, tokensTried, isReplaced, loginDecides }: Answer401): Decision {
		const now = this.clock.now();
		const otherTokenFailed = this.record(path, token, now);
		// Rule 1
		if (tokensTried === MAX_TOKENS) return 'giveUp';
		// Rule 2
		if (isReplaced || loginDecides) return { resendInMs: 0 };
		// Rule 3
		if (otherTokenFailed) return 'giveUp';
		const { at, withoutSuccess } = this.lastRelogin;
		const dueAt = at + doublingMs(BETWEEN_RELOGINS_MS, withoutSuccess);
		const dueInMs = Math.max(0, Math.ceil(dueAt - now));
		// Rule 4
		if (withoutSuccess > 0 && dueInMs > 0) return 'giveUp';
		// Rule 5
		return { resendInMs: dueInMs };
	}

	/** @returns whether another token has not helped the document, now or in the last five minutes. */
	private record(path: string, token: AccessToken, now: number): boolean {
		this.inARow += 1;
		for (const [each, { at }] of this.rejections) {
			if (now < at + REJECTION_COUNTS_MS) break;
			this.rejections.delete(each);
		}
		const before = this.rejections.get(path);
		const isOtherToken = before !== undefined && token !== before.token;
		const otherTokenFailedAt = isOtherToken ? now : before?.otherTokenFailedAt;
		// A Map keeps the order of insertion, so this moves the document behind the others.
		this.rejections.delete(path);
		this.rejections.set(path, { token, at: now, otherTokenFailedAt });
		return otherTokenFailedAt !== undefined && now < otherTokenFailedAt + REJECTION_COUNTS_MS;
	}

	/** Records a login because of a 401 that has brought a token. */
	recordRelogin(): void {
		const withoutSuccess = this.lastRelogin.withoutSuccess + 1;
		this.lastRelogin = { at: this.clock.now(), withoutSuccess };
	}

	/** Records that the service has accepted the current token. */
	recordAccepted(path: string): void {
		this.lastRelogin.withoutSuccess = 0;
		this.inARow = 0;
		this.rejections.delete(path);
	}
}
