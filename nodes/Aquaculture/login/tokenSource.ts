import { addNote, type Failure, type Result } from '../messages/failure';
import { SENTENCES } from '../messages/phrases';
import { cancelled } from '../service/requestFailures';
import type { AccessToken } from '../service/token';
import { RejectedDocuments, type Decision } from './rejectedDocuments';
import {
	doublingMs,
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
 * | a document is answered with 401             | by the rules in `rejectedDocuments.ts`. All others use the old token      |
 * |                                             | meanwhile                                                                 |
 * | a request of an HTTP Request node fails     | immediately, as n8n does not say why, but not for five minutes after one  |
 * |                                             | that succeeded. Meanwhile, all requests use the old token                 |
 * | a login is refused                          | half a minute later, doubling up to an hour: it could lock the account    |
 * | a login fails otherwise                     | five seconds later, doubling up to five minutes, or as the service asks   |
 * | somebody tests the credential               | as soon as it gets a slot, whatever has failed before                     |
 *
 * A login because of a 401 is not like others: the document may be why, and not the token.
 *
 * | If that login | What fails                                                                                      |
 * | ------------- | ----------------------------------------------------------------------------------------------- |
 * | fails         | only the document: others may still use the old token. But all, after ten rejections in a row,  |
 * |               | until the next login may be sent                                                                |
 * | is refused    | all: perhaps the password has changed, and each further request would only be another 401       |
 */

/** Each of these times doubles from its minimum to its maximum. */
const BACKOFF_MS = {
	afterRefusedLogin: { min: 30 * SECOND_MS, max: HOUR_MS },
	afterFailedLogin: { min: 5 * SECOND_MS, max: 5 * MINUTE_MS },
};

/** How long after a login because a request of an HTTP Request node had failed, other failures cause none. */
const BETWEEN_RENEWALS_MS = 5 * MINUTE_MS;

export type LoginResult = Result<AccessToken, Failure>;
/** Sends a login, and tries again if need be. Never throws. */
export type Login = () => Promise<LoginResult>;

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

	private readonly rejected: RejectedDocuments;

	/** When a login last succeeded that a failed request of an HTTP Request node had caused. */
	private renewedAt = -Infinity;

	constructor(private readonly clock: Clock = systemClock) {
		this.rejected = new RejectedDocuments(clock);
	}

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
		return this.isBadForAllDocuments || this.current === rejected ? undefined : this.current;
	}

	/** Whether the token seems to be bad for all documents, while a failed login delays the next one: then nothing is sent with it. */
	private get isBadForAllDocuments(): boolean {
		return this.rejected.seemToBeAll && this.recentFailure() !== undefined;
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
		if (!this.loginInProgress && tooEarly)
			return this.asFinalResult(isRelogin, { failure: tooEarly });
		this.loginInProgress ??= this.start(login, isRelogin);
		const result = await unlessAborted(this.loginInProgress, signal);
		return result ? this.asFinalResult(isRelogin, result) : { failure: cancelled() };
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
			if (result.value && isRelogin) this.rejected.recordRelogin();
			return result;
		} finally {
			this.loginInProgress = undefined;
		}
	}

	/** Returns what a failed login means for the request that waited for it. The login has used up its tries, so it is final. */
	private asFinalResult(isRelogin: boolean, result: LoginResult): LoginResult {
		const { failure } = result;
		if (!failure || failure.stopsAll) return result;
		const othersMaySend = isRelogin && !this.isBadForAllDocuments;
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
		const doubledMs = doublingMs(BACKOFF_MS[reason], this.failedLogins[reason]);
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
	 * Decides what becomes of a document that the service has rejected with 401.
	 *
	 * @param path identifies it.
	 * @param tokensTried with how many tokens it was sent.
	 */
	decideAfter401(token: AccessToken, path: string, tokensTried: number): Decision {
		const isReplaced = token !== this.current;
		const loginDecides = this.loginInProgress !== undefined || this.recentFailure() !== undefined;
		return this.rejected.decide({ path, token, tokensTried, isReplaced, loginDecides });
	}

	/** Records that the service has answered the request for a document with a status that shows that the token is good. */
	recordAccepted(token: AccessToken, path: string): void {
		if (token === this.current) this.rejected.recordAccepted(path);
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
