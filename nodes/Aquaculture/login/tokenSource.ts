import { cancelled, type Result } from '../service/failures';
import type { AccessToken } from '../service/token';
import { unlessAborted } from '../utils/abort';
import { HOUR_MS, SECOND_MS } from '../utils/time';
import { systemClock, type Clock } from '../utils/clock';
import { LoginBackoff } from './loginBackoff';
import { HttpNodeTokens } from './httpNodeTokens';
import { LoginAfter401, type After401 } from './loginAfter401';

/** Replace a token this long before it expires, so that it is still valid when the request arrives. */
const EXPIRY_MARGIN_MS = 10 * SECOND_MS;
/** Replace a token of unknown lifetime after this time: with Never Error or Pagination, n8n does not report its failures. */
const UNKNOWN_LIFETIME_MS = HOUR_MS;

/** @param signal aborts when nobody waits for the login any more. */
type Login = (signal: AbortSignal) => Promise<Result<AccessToken>>;

interface LoginInProgress {
	result: Promise<Result<AccessToken>>;
	waiterCount: number;
	abortController: AbortController;
}

/** Holds the token of an account in this process. Logs in once for all requests that need one. */
export class TokenSource {
	private token: AccessToken | undefined;
	private inProgress: LoginInProgress | undefined;
	private readonly loginBackoff = new LoginBackoff();
	private readonly loginAfter401 = new LoginAfter401();
	private readonly httpNodeTokens = new HttpNodeTokens();

	constructor(private readonly clock: Clock = systemClock) {}

	/** Returns the token to send requests with; undefined if a login is needed. */
	get current(): AccessToken | undefined {
		return this.token && !isExpired(this.token) ? this.token : undefined;
	}

	/**
	 * Returns the current token, after a login if there is none.
	 *
	 * @param replacesSuspect whether to log in also if a request of an HTTP Request node has failed with the current token.
	 *   Other requests use that token until there is a new one.
	 */
	async obtain(
		login: Login,
		signal: AbortSignal | undefined,
		replacesSuspect: boolean,
	): Promise<Result<AccessToken>> {
		const { current } = this;
		if (current && !(replacesSuspect && this.isSuspect(current))) return { value: current };
		const result = await this.joinLogin(login, { signal });
		// The token may be good: the request may have failed for another reason.
		return result.failure && this.current ? { value: this.current } : result;
	}

	/**
	 * Logs in, or waits for the login in progress. If one has failed a short while ago, returns its failure.
	 *
	 * @param isTest whether a person tests the credential, so that an earlier failure does not count.
	 * @returns a failure of kind 'cancelled' if the signal is aborted first.
	 */
	async joinLogin(
		login: Login,
		{ signal, isTest = false }: { signal?: AbortSignal | undefined; isTest?: boolean } = {},
	): Promise<Result<AccessToken>> {
		if (signal?.aborted) return { failure: cancelled() };
		const tooEarly = isTest ? undefined : this.loginBackoff.failureAt(this.clock.now());
		if (!this.inProgress && tooEarly) return { failure: tooEarly };
		const joined = (this.inProgress ??= this.start(login));
		joined.waiterCount += 1;
		const result = await unlessAborted(joined.result, signal);
		joined.waiterCount -= 1;
		if (joined.waiterCount === 0) joined.abortController.abort();
		if (!result) return { failure: cancelled() };
		// This call joined after the last waiter had left and the login was stopped, so log in again.
		if (result.failure?.kind === 'cancelled') {
			return await this.joinLogin(login, { signal, isTest });
		}
		return result;
	}

	/**
	 * Decides what to do after the service has rejected a document with 401.
	 *
	 * @param documentKey its path and version.
	 * @param isFresh whether the token is newer than an earlier 401 for the document.
	 * @returns 'resend' if there is another token by now, or if {@link obtain} will log in.
	 */
	decideAfter401(token: AccessToken, documentKey: string, isFresh: boolean): After401 {
		if (token !== this.current) return 'resend';
		const decision = this.loginAfter401.decide(documentKey, isFresh, this.clock.now());
		if (decision === 'resend') this.token = undefined;
		return decision;
	}

	/** The service has returned a document. */
	reportRead(documentKey: string): void {
		this.loginAfter401.reportRead(documentKey);
	}

	/** The service has accepted a fresh token after a 401, whatever its response was. */
	reportFreshTokenAccepted(): void {
		this.loginAfter401.reportFreshTokenAccepted();
	}

	/** Whether a request of an HTTP Request node has failed with this token. */
	isSuspect(token: AccessToken): boolean {
		return this.httpNodeTokens.isSuspect(token);
	}

	reportHttpNodeSent(token: AccessToken): void {
		this.httpNodeTokens.reportSent(token, this.clock.now());
	}

	/** The next request of such a node may get a new token. */
	reportHttpNodeFailed(token: AccessToken): void {
		if (token === this.current) this.httpNodeTokens.reportFailed(token, this.clock.now());
	}

	private start(login: Login): LoginInProgress {
		const abortController = new AbortController();
		const result = login(abortController.signal)
			.then((reached) => this.keep(reached))
			.finally(() => {
				this.inProgress = undefined;
			});
		return { result, waiterCount: 0, abortController };
	}

	private keep(result: Result<AccessToken>): Result<AccessToken> {
		const { value: token, failure } = result;
		if (token) {
			this.token = token;
			this.loginBackoff.reportSucceeded();
		} else if (failure.kind !== 'notSent' && failure.kind !== 'cancelled') {
			this.loginBackoff.reportFailed(failure, this.clock.now());
		}
		return result;
	}
}

/** Returns whether to replace a token. A short lifetime has a margin of a tenth. */
function isExpired({ issuedAt, expiresAt = issuedAt + UNKNOWN_LIFETIME_MS }: AccessToken): boolean {
	return Date.now() >= expiresAt - Math.min(EXPIRY_MARGIN_MS, (expiresAt - issuedAt) / 10);
}
