import { addNote, type Failure, type Result } from '../messages/failure';
import { SENTENCES } from '../messages/phrases';
import { cancelled } from '../service/requestFailures';
import type { AccessToken } from '../service/token';
import {
	unlessAborted,
	systemClock,
	HOUR_MS,
	MINUTE_MS,
	SECOND_MS,
	type Clock,
} from '../utils/time';

/*
 * Which token may a request use, and when is a login sent?
 *
 * | What happens                                | A login is sent                                                           |
 * | ------------------------------------------- | ------------------------------------------------------------------------- |
 * | there is no token, or it is to be replaced  | immediately, and all requests wait for it                                 |
 * | a document is answered with 401             | by the rules below; meanwhile, all other requests use the old token       |
 * | a request of an HTTP Request node fails     | immediately, as n8n does not say why, but not for five minutes after one  |
 * |                                             | that succeeded. Meanwhile, all requests use the old token                 |
 * | a login is refused                          | half a minute later, doubling up to an hour: it could lock the account    |
 * | a login fails otherwise                     | five seconds later, doubling up to five minutes, or as the service asks   |
 * | somebody tests the credential               | immediately, whatever has failed before                                   |
 *
 * A 401 is published as "no valid authentication", but some services answer so for a document that the account may not read. (403
 * is published as "no permission", so it never causes a login.) So either the token or the document may be why. The first rule that
 * fits decides:
 *
 * 1. A document is sent with four tokens at most.
 * 2. If there is another token by now, or a login is in progress, the document is sent again with that token, or that of the login.
 *    If the login fails, or one has failed a short while ago, the document fails with it.
 * 3. A document that another token did not help causes no login for five minutes, so it gives up.
 * 4. If nothing was accepted since the last login because of a 401, the next one may follow ten seconds after it, then twenty, forty
 *    … up to five minutes. Until then, documents give up.
 * 5. Otherwise the document is sent again after a login that all such documents share, ten seconds after the last such login at the
 *    earliest.
 *
 * | If that login | What fails                                                                                      |
 * | ------------- | ----------------------------------------------------------------------------------------------- |
 * | fails         | only the document: others may still use the old token. But all, after ten rejections in a row   |
 * | is refused    | all: perhaps the password has changed, and each further request would only be another 401       |
 *
 * Rule 3 is for single documents that the account may not read. With rule 4 alone, they would delay the login that a revoked token
 * needs: in random days, 4 % of the other reads were lost. Rule 4 is for an account that may read nothing.
 */

/** Each of these times doubles from its minimum to its maximum. */
const BACKOFF_MS = {
	afterRefusedLogin: { min: 30 * SECOND_MS, max: HOUR_MS },
	afterFailedLogin: { min: 5 * SECOND_MS, max: 5 * MINUTE_MS },
	/** Between logins because of a 401. The minimum is short for a poll that a person waits for: it has 28 seconds. */
	betweenRelogins: { min: 10 * SECOND_MS, max: 5 * MINUTE_MS },
};

/** How long after a login because a request of an HTTP Request node had failed, other failures cause none. */
const BETWEEN_RENEWALS_MS = 5 * MINUTE_MS;
/** Send a request with this many tokens at most. The second 401 usually ends it, unless there is yet another token by then. */
const MAX_TOKENS = 4;
/** After this many rejections in a row, the token is bad for all documents, and not only for these. */
const MAX_REJECTED_IN_A_ROW = 10;
/** An older rejection tells nothing about the current token, which may have been revoked since. */
const REJECTION_COUNTS_MS = 5 * MINUTE_MS;

/** @param count how often in a row it happened. */
function backoffMs(reason: keyof typeof BACKOFF_MS, count: number): number {
	const { min, max } = BACKOFF_MS[reason];
	return Math.min(max, min * 2 ** Math.max(0, count - 1));
}

export type LoginResult = Result<AccessToken, Failure>;
/** Sends a login, and tries again if need be. Never throws. */
export type Login = () => Promise<LoginResult>;

/** The last 401 to the request for a document. */
interface Rejection {
	token: AccessToken;
	at: number;
	/** When another token than before did not help it either; undefined if that has not happened. */
	notHelpedAt: number | undefined;
}

/** What becomes of a document after a 401. */
type Decision = 'giveUp' | { resendInMs: number };

/**
 * Holds the token of an account in this process. `account.ts` decides which credentials share a token source: a new password, for
 * example, gets a new one.
 *
 * A request asks for the {@link usableToken}. If there is none, it waits for {@link joinLogin}, then asks again. After a 401,
 * {@link decideAfter401} says whether and when a document may ask for another token.
 */
export class TokenSource {
	private token: AccessToken | undefined;
	private loginInProgress: Promise<LoginResult> | undefined;

	/** The last login has failed. */
	private lastFailure: { failure: Failure; retryAt: number } | undefined;
	/** How many logins have failed since the last that succeeded. */
	private failedLogins = { afterRefusedLogin: 0, afterFailedLogin: 0 };

	/** The last login because of a 401, and after how many of them in a row nothing was accepted. */
	private lastRelogin = { at: -Infinity, inVain: 0 };
	/** How many answers in a row were a 401, of whatever documents. */
	private rejectedInARow = 0;
	/** The documents that were rejected lately, the longest ago first. */
	private readonly rejections = new Map<string, Rejection>();

	/** When a login last succeeded that a failed request of an HTTP Request node had caused. */
	private renewedAt = -Infinity;

	constructor(private readonly clock: Clock = systemClock) {}

	/** The token that a login brought last, unless it is to be replaced. */
	get current(): AccessToken | undefined {
		return this.token && Date.now() < this.token.replaceAt ? this.token : undefined;
	}

	/**
	 * Returns the token to send a request with; undefined if it needs a login.
	 *
	 * @param rejected the token with which the document was answered with 401.
	 */
	usableToken(rejected?: AccessToken): AccessToken | undefined {
		return this.isRejectedByAll || this.current === rejected ? undefined : this.current;
	}

	/** Whether the token seems to be bad for all documents, while a failed login delays the next one. */
	private get isRejectedByAll(): boolean {
		return this.rejectedInARow >= MAX_REJECTED_IN_A_ROW && this.recentFailure() !== undefined;
	}

	/**
	 * Logs in for a request that no token is usable for, or waits for the login in progress. If one has failed a short while ago,
	 * returns its failure.
	 *
	 * @param rejected as for {@link usableToken}.
	 * @param signal ends the wait with a failure of kind 'cancelled'. The login continues, because its token can still be used.
	 */
	async joinLogin(
		login: Login,
		rejected?: AccessToken,
		signal?: AbortSignal,
	): Promise<LoginResult> {
		if (signal?.aborted) return { failure: cancelled() };
		const isRelogin = rejected !== undefined && rejected === this.current;
		const tooEarly = this.recentFailure();
		if (!this.loginInProgress && tooEarly) return this.resultFor(isRelogin, { failure: tooEarly });
		this.loginInProgress ??= this.start(login, isRelogin);
		const result = await unlessAborted(this.loginInProgress, signal);
		return result ? this.resultFor(isRelogin, result) : { failure: cancelled() };
	}

	/** Waits for the login in progress, if there is one, whatever comes of it. */
	async waitForLogin(): Promise<void> {
		await this.loginInProgress;
	}

	private async start(login: Login, isRelogin: boolean): Promise<LoginResult> {
		try {
			const result = await login();
			if (result.failure?.kind !== 'noSlot') this.keep(result);
			// A failed login says nothing about the token.
			if (result.value && isRelogin) {
				this.lastRelogin = { at: this.clock.now(), inVain: this.lastRelogin.inVain + 1 };
			}
			return result;
		} finally {
			this.loginInProgress = undefined;
		}
	}

	/** Returns what a failed login means for the request that waited for it. The login has used up its tries, so it is final. */
	private resultFor(isRelogin: boolean, result: LoginResult): LoginResult {
		const { failure } = result;
		if (!failure || failure.stopsAll) return result;
		const othersMaySend = isRelogin && !this.isRejectedByAll;
		const told = othersMaySend ? addNote(failure, SENTENCES.loginAfter401()) : failure;
		return { failure: { ...told, isTransient: false, stopsAll: !othersMaySend } };
	}

	/**
	 * Logs in for a credential test, whatever has failed before. A success or a refusal counts for others, too; other failures do
	 * not, because a test tries only once.
	 */
	async testLogin(login: Login): Promise<LoginResult> {
		const result = await login();
		if (!result.failure || result.failure.kind === 'loginRefused') this.keep(result);
		return result;
	}

	/** Keeps a new token, or how long to wait after a failed login. */
	private keep({ value: token, failure }: LoginResult): void {
		if (failure) {
			this.backOff(failure);
		} else {
			this.token = token;
			this.lastFailure = undefined;
			this.failedLogins = { afterRefusedLogin: 0, afterFailedLogin: 0 };
		}
	}

	private backOff(failure: Failure): void {
		const isRefused = failure.kind === 'loginRefused';
		const reason = isRefused ? 'afterRefusedLogin' : 'afterFailedLogin';
		this.failedLogins[reason] += 1;
		const doubledMs = backoffMs(reason, this.failedLogins[reason]);
		const waitMs = isRefused ? doubledMs : Math.max(failure.waitMs ?? 0, doubledMs);
		const retryAt = this.clock.now() + waitMs;
		// A credential test may have been refused in the meantime.
		if (this.lastFailure && this.lastFailure.retryAt > retryAt) return;
		// The whole wait, and not what is left of it: all requests then fail with the same words, which are shown once. The message of a
		// refusal says so already.
		const shown = isRefused ? failure : addNote(failure, SENTENCES.nextLogin(waitMs));
		this.lastFailure = { failure: shown, retryAt };
	}

	/** Returns why the last login failed while it is too early for the next one. */
	private recentFailure(): Failure | undefined {
		const { failure, retryAt = -Infinity } = this.lastFailure ?? {};
		return this.clock.now() < retryAt ? failure : undefined;
	}

	/**
	 * Decides whether to send a document again, with another token, that the service has rejected with 401: see the rules above.
	 *
	 * @param document identifies it.
	 * @param tokensTried with how many tokens it was sent.
	 */
	decideAfter401(token: AccessToken, document: string, tokensTried: number): Decision {
		const now = this.clock.now();
		const wasNotHelped = this.recordRejected(token, document, now);
		// Rule 1
		if (tokensTried === MAX_TOKENS) return 'giveUp';
		// Rule 2
		if (token !== this.current || this.loginInProgress || this.recentFailure()) {
			return { resendInMs: 0 };
		}
		// Rule 3
		if (wasNotHelped) return 'giveUp';
		const { at, inVain } = this.lastRelogin;
		const dueInMs = Math.max(0, Math.ceil(at + backoffMs('betweenRelogins', inVain) - now));
		// Rule 4
		if (inVain > 0 && dueInMs > 0) return 'giveUp';
		// Rule 5
		return { resendInMs: dueInMs };
	}

	/** @returns whether another token has not helped the document, now or in the last five minutes. */
	private recordRejected(token: AccessToken, document: string, now: number): boolean {
		this.rejectedInARow += 1;
		for (const [each, { at }] of this.rejections) {
			if (now < at + REJECTION_COUNTS_MS) break;
			this.rejections.delete(each);
		}
		const before = this.rejections.get(document);
		const notHelpedAt = before && token !== before.token ? now : before?.notHelpedAt;
		// A Map keeps the order of insertion, so this moves the document behind the others.
		this.rejections.delete(document);
		this.rejections.set(document, { token, at: now, notHelpedAt });
		return notHelpedAt !== undefined && now < notHelpedAt + REJECTION_COUNTS_MS;
	}

	/** Records that the service has answered the request for a document with a status that shows that the token is good. */
	recordAccepted(token: AccessToken, document: string): void {
		if (token !== this.current) return;
		this.lastRelogin.inVain = 0;
		this.rejectedInARow = 0;
		this.rejections.delete(document);
	}

	/** Logs in because a request of an HTTP Request node has failed: the token may be why, and n8n does not tell. */
	async renew(token: AccessToken, login: Login): Promise<void> {
		const isRenewed = this.clock.now() < this.renewedAt + BETWEEN_RENEWALS_MS;
		const isTooEarly = isRenewed || this.recentFailure() !== undefined;
		if (token !== this.current || this.loginInProgress || isTooEarly) return;
		this.loginInProgress = this.start(login, false);
		const { value } = await this.loginInProgress;
		// The token is still the old one after a login that failed, or that got no slot.
		if (value) this.renewedAt = this.clock.now();
	}
}
