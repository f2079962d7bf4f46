import { addNote, type Failure, type Result } from '../messages/failure';
import { SENTENCES } from '../messages/phrases';
import { cancelled } from '../service/noAnswerFailures';
import type { AccessToken } from '../service/token';
import {
	unlessAborted,
	systemClock,
	HOUR_MS,
	MINUTE_MS,
	SECOND_MS,
	type Clock,
} from '../utils/time';

/** Replace a token this long before it expires, so that it is still valid when the request arrives. */
const EXPIRY_MARGIN_MS = 10 * SECOND_MS;
/** Replace a token of unknown lifetime after this time: HTTP Request nodes with 'Never Error' or pagination hide a 401. */
const UNKNOWN_LIFETIME_MS = HOUR_MS;

/** Wait this long after a failed login; doubles each time. */
const BACKOFF_MS = {
	/** Repeating it could lock the account. */
	refused: { min: 30 * SECOND_MS, max: HOUR_MS },
	/** Otherwise each item would log in again. */
	other: { min: 5 * SECOND_MS, max: 5 * MINUTE_MS },
};

/**
 * Time between two logins because of a 401. The minimum applies while they help, because a poll that a person waits for has 28
 * seconds; it doubles with each login that does not.
 */
const RELOGIN_MS = { min: 10 * SECOND_MS, max: 5 * MINUTE_MS };
/** Remember this many documents that a fresh token did not help. */
const MAX_REJECTED = 500;

/** Returns whether to replace a token. A short lifetime has a margin of a tenth. */
function isExpired({ issuedAt, expiresAt = issuedAt + UNKNOWN_LIFETIME_MS }: AccessToken): boolean {
	return Date.now() >= expiresAt - Math.min(EXPIRY_MARGIN_MS, (expiresAt - issuedAt) / 10);
}

export type LoginResult = Result<AccessToken, Failure>;
/** Sends a login, and tries again if need be. */
export type Login = () => Promise<LoginResult>;

/**
 * Holds the token of an account in this process, and decides when to log in. `account.ts` decides which credentials share a token
 * source: a new password, for example, gets a new one.
 *
 * A 401 is published as "no valid authentication", but some services answer so for a document that the account may not read. (403
 * is published as "no permission", so it never causes a login.) Until a login has brought another token, all other requests use
 * the old one, which may be good. The rule after a 401:
 *
 * 1. The document is sent again with another token, after a login that all such documents share, ten seconds after the last one
 *    at the earliest.
 * 2. If a fresh token does not help the document, it causes no login for five minutes.
 * 3. If the service has accepted no document since the last such login, documents give up instead of waiting for the next one, which
 *    comes ten seconds after the first of these, then twenty, forty … up to five minutes.
 *
 * HTTP Request nodes are not sent again, and n8n does not say why one has failed. So the next one logs in first, at most once in
 * five minutes.
 */
export class TokenSource {
	private token: AccessToken | undefined;
	private loginInProgress: Promise<LoginResult> | undefined;

	/** The last login has failed. */
	private lastFailure: { failure: Failure; retryAt: number } | undefined;
	/** How many logins have failed since the last that succeeded. */
	private failedLogins = { refused: 0, other: 0 };

	/** The last login because of a 401, and how many of them in a row the service has accepted no document after. */
	private lastRelogin = { at: -Infinity, useless: 0 };
	/** When each document was rejected with a fresh token; the oldest first. */
	private readonly rejected = new Map<string, number>();

	/** A request of an HTTP Request node has failed, perhaps because of the token. */
	private isSuspect = false;
	private lastSuspectReplacedAt = -Infinity;

	constructor(private readonly clock: Clock = systemClock) {}

	/** Returns the token to send requests with; undefined if a login is needed. */
	get current(): AccessToken | undefined {
		return this.token && !isExpired(this.token) ? this.token : undefined;
	}

	/** Returns the token for a request that cannot be sent again after a 401; undefined if a login may bring a better one. */
	get trusted(): AccessToken | undefined {
		return this.isSuspect || this.loginInProgress ? undefined : this.current;
	}

	/**
	 * Logs in, or waits for the login in progress. If one has failed a short while ago, returns its failure.
	 *
	 * @param signal ends the wait with a failure of kind 'cancelled'. The login continues, because its token can still be used.
	 * @param isAfter401 whether the login is needed because of a 401.
	 */
	async joinLogin(login: Login, signal?: AbortSignal, isAfter401 = false): Promise<LoginResult> {
		if (signal?.aborted) return { failure: cancelled() };
		const tooEarly = this.recentFailure();
		if (!this.loginInProgress && tooEarly) {
			this.isSuspect = false;
			return { failure: tooEarly };
		}
		this.loginInProgress ??= this.start(login, isAfter401);
		return (await unlessAborted(this.loginInProgress, signal)) ?? { failure: cancelled() };
	}

	private async start(login: Login, isAfter401: boolean): Promise<LoginResult> {
		try {
			const result = await login();
			if (result.failure?.kind !== 'notSent') this.keep(result);
			// A failed login says nothing about the token.
			if (result.value && isAfter401) {
				this.lastRelogin = { at: this.clock.now(), useless: this.lastRelogin.useless + 1 };
			}
			return result;
		} finally {
			this.loginInProgress = undefined;
		}
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
			this.failedLogins = { refused: 0, other: 0 };
			if (this.isSuspect) this.lastSuspectReplacedAt = this.clock.now();
		}
		this.isSuspect = false;
	}

	private backOff(failure: Failure): void {
		const reason = failure.kind === 'loginRefused' ? 'refused' : 'other';
		this.failedLogins[reason] += 1;
		const { min, max } = BACKOFF_MS[reason];
		const doubledMs = Math.min(max, min * 2 ** (this.failedLogins[reason] - 1));
		const waitMs = reason === 'refused' ? doubledMs : Math.max(failure.waitMs ?? 0, doubledMs);
		const retryAt = this.clock.now() + waitMs;
		// A credential test may have been refused in the meantime.
		if (this.lastFailure && this.lastFailure.retryAt > retryAt) return;
		// The whole wait, and not what is left of it: all requests then fail with the same words, which are shown once. The message of a
		// refusal says so already.
		const shown = reason === 'refused' ? failure : addNote(failure, SENTENCES.nextLogin(waitMs));
		this.lastFailure = { failure: shown, retryAt };
	}

	/** Returns why the last login failed while it is too early for the next one. */
	private recentFailure(): Failure | undefined {
		const { failure, retryAt = -Infinity } = this.lastFailure ?? {};
		return this.clock.now() < retryAt ? failure : undefined;
	}

	/**
	 * Decides what to do after the service has rejected a document with 401.
	 *
	 * @param document identifies it.
	 * @param isRejectedAgain whether it was rejected with an earlier token, too.
	 * @returns how long to wait before it is sent again with another token, in milliseconds; undefined to give up.
	 */
	after401(token: AccessToken, document: string, isRejectedAgain: boolean): number | undefined {
		if (token !== this.current) return 0;
		const now = this.clock.now();
		if (isRejectedAgain) this.recordRejected(document, now);
		// The result of that login is the best answer, even if it is a failure.
		if (this.loginInProgress || this.recentFailure()) return 0;
		const rejectedAt = this.rejected.get(document) ?? -Infinity;
		if (now - rejectedAt < RELOGIN_MS.max) return undefined;
		const { at, useless } = this.lastRelogin;
		const intervalMs = Math.min(RELOGIN_MS.max, RELOGIN_MS.min * 2 ** Math.max(0, useless - 1));
		const waitMs = Math.max(0, Math.ceil(at + intervalMs - now));
		return useless > 0 && waitMs > 0 ? undefined : waitMs;
	}

	private recordRejected(document: string, now: number): void {
		// A Map keeps the order of insertion.
		this.rejected.delete(document);
		this.rejected.set(document, now);
		const [oldest] = this.rejected.keys();
		if (this.rejected.size > MAX_REJECTED) this.rejected.delete(oldest as string);
	}

	/** The service has answered the request for a document with a status that shows that the token is good. */
	reportAccepted(token: AccessToken, document: string): void {
		if (token !== this.current) return;
		this.lastRelogin.useless = 0;
		this.rejected.delete(document);
	}

	/** A request of an HTTP Request node has failed: the next one logs in first, because the token may be why. */
	reportHttpNodeFailed(token: AccessToken): void {
		const sinceMs = this.clock.now() - this.lastSuspectReplacedAt;
		if (token === this.current && sinceMs >= RELOGIN_MS.max) this.isSuspect = true;
	}
}
