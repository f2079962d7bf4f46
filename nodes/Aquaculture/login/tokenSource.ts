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

/** Replace a token this long before it expires, so that it is still valid when the request arrives. */
const EXPIRY_MARGIN_MS = 10 * SECOND_MS;
/** Replace a token of unknown lifetime after this time: HTTP Request nodes with 'Never Error' or pagination hide a 401. */
const UNKNOWN_LIFETIME_MS = HOUR_MS;

/** Each of these times doubles from its minimum to its maximum. */
const BACKOFF_MS = {
	/** After a refused login: repeating it could lock the account. */
	refused: { min: 30 * SECOND_MS, max: HOUR_MS },
	/** After a login that failed otherwise: each item would log in again. */
	failed: { min: 5 * SECOND_MS, max: 5 * MINUTE_MS },
	/** Between logins because of a 401. The minimum applies while they help: a poll that a person waits for has 28 seconds. */
	relogin: { min: 10 * SECOND_MS, max: 5 * MINUTE_MS },
	/** After a fresh token that did not help a document, until the document may cause a login again. */
	document: { min: 5 * MINUTE_MS, max: HOUR_MS },
};

/** A request of an HTTP Request node that fails causes a login this often at most. */
const SUSPECT_MS = 5 * MINUTE_MS;
/** Remember this many rejected documents. */
const MAX_REJECTED = 500;
/** If it was rejected this often in a row, the token is bad for all documents, and not only for these. */
const MAX_REJECTED_IN_A_ROW = 10;

/** @param count how often in a row it happened, from 1. */
function backoffMs(reason: keyof typeof BACKOFF_MS, count: number): number {
	const { min, max } = BACKOFF_MS[reason];
	return Math.min(max, min * 2 ** Math.max(0, count - 1));
}

/** Returns whether to replace a token. A short lifetime has a margin of a tenth. */
function isExpired({ issuedAt, expiresAt = issuedAt + UNKNOWN_LIFETIME_MS }: AccessToken): boolean {
	return Date.now() >= expiresAt - Math.min(EXPIRY_MARGIN_MS, (expiresAt - issuedAt) / 10);
}

export type LoginResult = Result<AccessToken, Failure>;
/** Sends a login, and tries again if need be. */
export type Login = () => Promise<LoginResult>;

/** Which token will do for a request. */
export interface TokenNeed {
	/** The service has rejected the document with this token, so it needs another one. */
	rejected?: AccessToken | undefined;
	/** Whether the request can be sent again if its token turns out to be bad: true for all but HTTP Request nodes. */
	acceptsSuspectToken: boolean;
}

/** What the 401s of a document have shown. */
interface Rejection {
	/** The last token that it was rejected with. */
	token: AccessToken;
	/** How many fresh tokens in a row did not help it, and when the last one did not. */
	useless: number;
	uselessAt: number;
}

/**
 * Which token may a request use, and when to log in? Holds the token of an account in this process. `account.ts` decides which
 * credentials share a token source: a new password, for example, gets a new one.
 *
 * A 401 is published as "no valid authentication", but some services answer so for a document that the account may not read. (403
 * is published as "no permission", so it never causes a login.) Until a login has brought another token, all other requests use
 * the old one, which may be good. The rule after a 401:
 *
 * 1. The document is sent again with another token, after a login that all such documents share, ten seconds after the last one
 *    at the earliest.
 * 2. If a fresh token does not help the document, it causes no login for five minutes; after the next one, if the service has accepted
 *    others since, for ten … up to an hour.
 * 3. If the service has accepted no document since the last such login, documents give up instead of waiting for the next one, which
 *    comes ten seconds after the first of these, then twenty, forty … up to five minutes.
 * 4. If that login fails, only the document fails, because others may still use the old token; but all fail if the login was
 *    refused, or if the service has rejected ten documents in a row.
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
	private failedLogins = { refused: 0, failed: 0 };

	/** The last login because of a 401, and how many of them in a row the service has accepted no document after. */
	private lastRelogin = { at: -Infinity, useless: 0 };
	/** By document: those that were rejected since they were last accepted, the longest known first. */
	private readonly rejections = new Map<string, Rejection>();
	/** How many answers in a row rejected the token. */
	private rejectedInARow = 0;

	/** A request of an HTTP Request node has failed, perhaps because of the token. */
	private isSuspect = false;
	private lastSuspectReplacedAt = -Infinity;

	constructor(private readonly clock: Clock = systemClock) {}

	/** The token that a login brought last, unless it has expired. */
	get current(): AccessToken | undefined {
		return this.token && !isExpired(this.token) ? this.token : undefined;
	}

	/** Whether the token seems to be bad for all documents, while a failed login delays the next one. */
	private get isBad(): boolean {
		return this.rejectedInARow >= MAX_REJECTED_IN_A_ROW && this.recentFailure() !== undefined;
	}

	/** Returns the token to send a request with; undefined if it needs a login. */
	usableToken({ rejected, acceptsSuspectToken }: TokenNeed): AccessToken | undefined {
		const mayBeBetterSoon = this.isSuspect || this.loginInProgress !== undefined;
		if (this.isBad || (mayBeBetterSoon && !acceptsSuspectToken)) return undefined;
		return this.current === rejected ? undefined : this.current;
	}

	/**
	 * Logs in for a request that no token is usable for, or waits for the login in progress. If one has failed a short while ago,
	 * returns its failure.
	 *
	 * @param signal ends the wait with a failure of kind 'cancelled'. The login continues, because its token can still be used.
	 */
	async joinLogin(
		login: Login,
		{ rejected }: TokenNeed,
		signal?: AbortSignal,
	): Promise<LoginResult> {
		if (signal?.aborted) return { failure: cancelled() };
		const isAfter401 = rejected !== undefined && rejected === this.current;
		const tooEarly = this.recentFailure();
		if (!this.loginInProgress && tooEarly) {
			this.isSuspect = false;
			return this.resultFor(isAfter401, { failure: tooEarly });
		}
		this.loginInProgress ??= this.start(login, isAfter401);
		const result = await unlessAborted(this.loginInProgress, signal);
		return result ? this.resultFor(isAfter401, result) : { failure: cancelled() };
	}

	/** Returns what a failed login means for the request that waited for it. */
	private resultFor(isAfter401: boolean, { value, failure }: LoginResult): LoginResult {
		if (value) return { value };
		if (failure.kind === 'notSent') return { failure };
		// If the login was refused, perhaps the password has changed, and each further request would only be another 401.
		return !isAfter401 || this.isBad || failure.kind === 'loginRefused'
			? { failure: { ...failure, kind: 'stopsAll' } }
			: { failure: { ...addNote(failure, SENTENCES.loginAfter401()), kind: undefined } };
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
			this.failedLogins = { refused: 0, failed: 0 };
			if (this.isSuspect) this.lastSuspectReplacedAt = this.clock.now();
		}
		this.isSuspect = false;
	}

	private backOff(failure: Failure): void {
		const reason = failure.kind === 'loginRefused' ? 'refused' : 'failed';
		this.failedLogins[reason] += 1;
		const doubledMs = backoffMs(reason, this.failedLogins[reason]);
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
	 * Decides whether to send a document again that the service has rejected with 401.
	 *
	 * @param document identifies it.
	 * @returns how long to wait before it is sent with another token, in milliseconds; undefined to give up.
	 */
	retryDelayAfter401(token: AccessToken, document: string): number | undefined {
		const now = this.clock.now();
		const { useless, uselessAt } = this.recordRejected(token, document, now);
		// The result of a login in progress is the best answer, even if it is a failure.
		if (token !== this.current || this.loginInProgress || this.recentFailure()) return 0;
		const { lastRelogin } = this;
		// While the service accepts no other document either, it may be down, and this one may be readable when it is back.
		const isOwn = lastRelogin.useless === 0;
		const isGivenUp = useless > 0 && now - uselessAt < backoffMs('document', isOwn ? useless : 1);
		if (isGivenUp) return undefined;
		const dueAt = lastRelogin.at + backoffMs('relogin', lastRelogin.useless);
		const waitMs = Math.max(0, Math.ceil(dueAt - now));
		return lastRelogin.useless > 0 && waitMs > 0 ? undefined : waitMs;
	}

	private recordRejected(token: AccessToken, document: string, now: number): Rejection {
		this.rejectedInARow += 1;
		const known = this.rejections.get(document);
		const isFresh = known !== undefined && known.token !== token && token === this.current;
		const rejection = isFresh
			? { token, useless: known.useless + 1, uselessAt: now }
			: (known ?? { token, useless: 0, uselessAt: -Infinity });
		this.rejections.set(document, rejection);
		// A Map keeps the order of insertion.
		const [oldest] = this.rejections.keys();
		if (this.rejections.size > MAX_REJECTED) this.rejections.delete(oldest as string);
		return rejection;
	}

	/** Records that the service has answered the request for a document with a status that shows that the token is good. */
	recordAccepted(token: AccessToken, document: string): void {
		if (token !== this.current) return;
		this.lastRelogin.useless = 0;
		this.rejectedInARow = 0;
		this.rejections.delete(document);
	}

	/** Records that a request of an HTTP Request node has failed: the next one logs in first, because the token may be why. */
	recordHttpNodeFailed(token: AccessToken): void {
		const sinceMs = this.clock.now() - this.lastSuspectReplacedAt;
		if (token === this.current && sinceMs >= SUSPECT_MS) this.isSuspect = true;
	}
}
