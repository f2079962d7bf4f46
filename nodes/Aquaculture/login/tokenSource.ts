import { addNote, type Failure, type Result } from '../messages/failure';
import { SENTENCES } from '../messages/phrases';
import { cancelled } from '../service/requestFailures';
import type { AccessToken } from '../service/token';
import { Backoff, LOGIN_WAITS } from './backoff';
import { MINUTE_MS, unlessAborted, systemClock, type Clock } from '../utils/time';

/*
 * Which token may a request use, and when is a login sent? (`sending/logIn.ts` says how.)
 *
 * | What happens                            | A login is sent                                                           |
 * | --------------------------------------- | ------------------------------------------------------------------------- |
 * | there is no token, or it has expired    | immediately, and all requests wait for it                                 |
 * | a document is answered with 401         | the same, but ten seconds after the last such login at the earliest       |
 * | a request of an HTTP Request node fails | immediately, as n8n does not say why, but not within five minutes after   |
 * |                                         | one that succeeded. While it runs, this package's nodes use the old token |
 * | a login is refused                      | half a minute later, doubling up to an hour: it could lock the account    |
 * | a login fails otherwise                 | five seconds later, doubling up to five minutes                           |
 * | somebody tests the credential           | as soon as it gets a slot, whatever has failed before                     |
 *
 * A 401 is published as "no valid authentication", so its token is not used again. (403 is published as "no permission", and never
 * causes a login.) But some services answer with 401 if the account may not read a document. One that another token does not help
 * fails, and causes no login for five minutes.
 */

export type LoginResult = Result<AccessToken, Failure>;
/** Sends a login, and tries again if need be. Never throws. */
export type Login = () => Promise<LoginResult>;

/** How long a document that another token did not help causes no login. */
const UNAUTHORIZED_MS = 5 * MINUTE_MS;

/**
 * Holds the token of an account in this process. `account.ts` decides which credentials share a token source: a new password, for
 * example, gets a new one.
 */
export class TokenSource {
	/** The token that a login brought last. */
	private token: AccessToken | undefined;
	/** Whether it was answered with 401, so that another one is needed. */
	private isRejected = false;
	private loginInProgress: Promise<LoginResult> | undefined;

	/** Why the last login failed; undefined if it succeeded. */
	private lastFailure: Failure | undefined;
	private readonly afterRefusedLogin: Backoff;
	private readonly afterFailedLogin: Backoff;

	private readonly afterRelogin: Backoff;
	/** Until when each document that another token did not help causes no login, by path. */
	private readonly unauthorizedUntil = new Map<string, number>();

	/** Begins with a login because a request of an HTTP Request node had failed: see {@link renew}. */
	private readonly afterRenewal: Backoff;

	constructor(private readonly clock: Clock = systemClock) {
		this.afterRefusedLogin = new Backoff(clock, LOGIN_WAITS.afterRefusedLogin);
		this.afterFailedLogin = new Backoff(clock, LOGIN_WAITS.afterFailedLogin);
		this.afterRelogin = new Backoff(clock, LOGIN_WAITS.afterRelogin);
		this.afterRenewal = new Backoff(clock, LOGIN_WAITS.afterRenewal);
	}

	/** The token to send requests with; undefined if that takes a login. */
	get current(): AccessToken | undefined {
		const { token, isRejected } = this;
		return token && !isRejected && Date.now() < token.replaceAt ? token : undefined;
	}

	/**
	 * Returns the token. If there is none, logs in or waits for the login in progress; if a login has failed a short while ago, returns
	 * its failure.
	 *
	 * @param signal ends the wait with a failure of kind 'cancelled'. The login continues, because its token can still be used.
	 */
	async acquire(login: Login, signal?: AbortSignal): Promise<LoginResult> {
		if (signal?.aborted) return { failure: cancelled() };
		if (this.current) return { value: this.current };
		const tooEarly = this.recentFailure();
		if (tooEarly && !this.loginInProgress) return { failure: asFinal(tooEarly) };
		this.loginInProgress ??= this.start(login);
		const result = await unlessAborted(this.loginInProgress, signal);
		if (!result) return { failure: cancelled() };
		// A credential test may have brought a token during the login.
		if (this.current) return { value: this.current };
		return result.failure ? { failure: asFinal(result.failure) } : result;
	}

	/** Waits for the login in progress, if there is one, whatever comes of it. */
	async waitForLogin(): Promise<void> {
		await this.loginInProgress;
	}

	private async start(login: Login): Promise<LoginResult> {
		try {
			const waitMs = this.isRejected ? this.afterRelogin.remainingMs : 0;
			if (waitMs > 0) {
				await this.clock.sleep(waitMs);
				// A credential test may have brought a token in the meantime.
				if (this.current) return { value: this.current };
			}
			const result = await login();
			if (result.failure?.kind !== 'noSlot') this.keep(result);
			return result;
		} finally {
			this.loginInProgress = undefined;
		}
	}

	/**
	 * Records that the service has answered a document with 401.
	 *
	 * @param token the one that it was sent with.
	 * @param path identifies the document.
	 * @param rejectedTokens how many tokens this try of `fetchDocument` was answered with 401 for, including this one.
	 * @returns whether to send it again, with another token.
	 */
	recordRejected(token: AccessToken, path: string, rejectedTokens: number): boolean {
		// Another answer or login has already replaced the token, or it has expired.
		if (token !== this.current) return true;
		const now = this.clock.now();
		if (rejectedTokens > 1) this.unauthorizedUntil.set(path, now + UNAUTHORIZED_MS);
		for (const [each, until] of this.unauthorizedUntil) {
			if (until <= now) this.unauthorizedUntil.delete(each);
		}
		if (this.unauthorizedUntil.has(path)) return false;
		this.isRejected = true;
		return true;
	}

	/** Records that a document was read: it may cause a login again. */
	recordRead(path: string): void {
		this.unauthorizedUntil.delete(path);
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
			return;
		}
		if (this.isRejected) this.afterRelogin.begin();
		this.token = token;
		this.isRejected = false;
		this.lastFailure = undefined;
		this.afterRefusedLogin.end();
		this.afterFailedLogin.end();
	}

	private backOff(failure: Failure): void {
		const remainingMs = this.nextLoginInMs;
		const isRefused = failure.kind === 'loginRefused';
		const waitMs = (isRefused ? this.afterRefusedLogin : this.afterFailedLogin).begin();
		// A credential test may have been refused in the meantime.
		if (this.lastFailure && remainingMs > waitMs) return;
		// The whole wait, and not what is left of it: all requests then fail with the same words, which are shown once. The message of a
		// refusal says so already.
		this.lastFailure = isRefused ? failure : addNote(failure, SENTENCES.nextLogin(waitMs));
	}

	/** How long it takes until the next login after a failed one. */
	private get nextLoginInMs(): number {
		return Math.max(this.afterRefusedLogin.remainingMs, this.afterFailedLogin.remainingMs);
	}

	/** Returns why the last login failed while it is too early for the next one. */
	private recentFailure(): Failure | undefined {
		return this.nextLoginInMs > 0 ? this.lastFailure : undefined;
	}

	/**
	 * Logs in because a request of an HTTP Request node has failed: the token may be why, and n8n does not tell. The token is probably
	 * good, so other requests use it until there is a new one.
	 */
	async renew(token: AccessToken, login: Login): Promise<void> {
		const isTooEarly = this.afterRenewal.remainingMs > 0 || this.recentFailure() !== undefined;
		if (token !== this.current || this.loginInProgress || isTooEarly) return;
		this.loginInProgress = this.start(login);
		const { value } = await this.loginInProgress;
		// The token is still the old one after a login that failed, or that got no slot.
		if (value) this.afterRenewal.begin();
	}
}

/** The login has used up its tries, so its failure is that of all requests. */
function asFinal(failure: Failure): Failure {
	return { ...failure, isTransient: false, stopsAll: true };
}
