import { cancelled, type Failure } from '../service/failures';
import type { AccessToken } from '../service/token';
import { unlessAborted } from '../utils/abort';
import { HOUR_MS, SECOND_MS } from '../utils/time';
import { systemClock, type Clock } from '../utils/clock';
import { LoginBackoff } from './loginBackoff';
import { Relogin } from './relogin';
import type { Result } from '../utils/result';

/** Replace a token this long before it expires, so that it is still valid when the request arrives. */
const EXPIRY_MARGIN_MS = 10 * SECOND_MS;
/** Replace a token of unknown lifetime after this time: with Never Error or Pagination, n8n does not report its failures. */
const UNKNOWN_LIFETIME_MS = HOUR_MS;

/** What to do after a 401: send the request again with another token, decide again after a wait, or accept the failure. */
export type After401 = 'getAnotherToken' | { waitMs: number } | 'giveUp';

/** @param signal aborts when nobody waits for the login any more. */
type Login = (signal: AbortSignal) => Promise<Result<AccessToken, Failure>>;

interface LoginInProgress {
	result: Promise<Result<AccessToken, Failure>>;
	waiterCount: number;
	abortController: AbortController;
	/** Whether a credential test has started it, with a single try. */
	isTest: boolean;
}

/**
 * Holds the token of an account in this process. Logs in once for all requests that need one.
 *
 * A token stays in use until it expires, or until a login has brought another: a document that is answered with 401 may be
 * rejected because of itself, and then the token is good for all others.
 */
export class TokenSource {
	private token: AccessToken | undefined;
	/** Whether a login may bring a better token than the current one, until that login has ended. */
	private isRenewalDue = false;
	private inProgress: LoginInProgress | undefined;
	private readonly loginBackoff = new LoginBackoff();
	private readonly relogin = new Relogin();

	constructor(private readonly clock: Clock = systemClock) {}

	/** Returns the token to send requests with; undefined if a login is needed. */
	get current(): AccessToken | undefined {
		return this.token && !isExpired(this.token) ? this.token : undefined;
	}

	/**
	 * Returns the token to send a request with now; undefined if a login comes first.
	 *
	 * @param rejected the token with which the request was answered with 401, so that another one is needed.
	 */
	usable(rejected: AccessToken | undefined): AccessToken | undefined {
		return this.isRenewalDue || this.current === rejected ? undefined : this.current;
	}

	/**
	 * Returns a usable token, after a login if need be. If that fails, a token that it was to replace is usable again.
	 *
	 * @param rejected the token with which the request was answered with 401, so that another one is needed.
	 */
	async obtain(
		login: Login,
		signal: AbortSignal | undefined,
		rejected?: AccessToken,
	): Promise<Result<AccessToken, Failure>> {
		const token = this.usable(rejected);
		if (token) return { value: token };
		const result = await this.joinLogin(login, { signal });
		const fallback = result.failure && this.usable(rejected);
		return fallback ? { value: fallback } : result;
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
	): Promise<Result<AccessToken, Failure>> {
		if (signal?.aborted) return { failure: cancelled() };
		const tooEarly = isTest ? undefined : this.loginBackoff.failureAt(this.clock.now());
		if (!this.inProgress && tooEarly) {
			this.isRenewalDue = false;
			return { failure: tooEarly };
		}
		const joined = (this.inProgress ??= this.start(login, isTest));
		joined.waiterCount += 1;
		const result = await unlessAborted(joined.result, signal);
		joined.waiterCount -= 1;
		if (joined.waiterCount === 0) joined.abortController.abort();
		if (!result) return { failure: cancelled() };
		const { failure } = result;
		// This call joined after the last waiter had left and the login was stopped.
		const wasStopped = failure?.kind === 'cancelled';
		const wasOnlyTest = joined.isTest && !isTest && failure && failure.kind !== 'loginRefused';
		return wasStopped || wasOnlyTest ? await this.joinLogin(login, { signal, isTest }) : result;
	}

	/**
	 * Decides what to do after the service has rejected a document with 401.
	 *
	 * @param document identifies it.
	 * @param isFresh whether the token is newer than an earlier 401 for the document.
	 */
	handle401(token: AccessToken, document: string, isFresh: boolean): After401 {
		const now = this.clock.now();
		if (token !== this.current) return 'getAnotherToken';
		if (isFresh) this.relogin.reportRejectedAgain(document, now);
		// The result of that login is the best answer, even if it is a failure.
		if (this.isRenewalDue || this.inProgress || this.loginBackoff.failureAt(now))
			return 'getAnotherToken';
		const decision = this.relogin.requestLogin(document, now);
		if (decision !== 'granted') return decision;
		this.isRenewalDue = true;
		return 'getAnotherToken';
	}

	/** The service has answered the request for a document with another status than 401. */
	reportAccepted(token: AccessToken, document: string): void {
		if (token === this.current) this.relogin.reportAccepted(document);
	}

	/** A request of an HTTP Request node has failed, perhaps because of its token. The next request logs in first. */
	reportHttpNodeFailed(token: AccessToken): void {
		if (token !== this.current) return;
		this.isRenewalDue ||= this.relogin.requestLoginForHttpNode(this.clock.now());
	}

	private start(login: Login, isTest: boolean): LoginInProgress {
		const abortController = new AbortController();
		const result = login(abortController.signal)
			.then((reached) => this.keep(reached, isTest))
			.finally(() => {
				this.inProgress = undefined;
			});
		return { result, waiterCount: 0, abortController, isTest };
	}

	private keep(
		result: Result<AccessToken, Failure>,
		isTest: boolean,
	): Result<AccessToken, Failure> {
		const { value: token, failure } = result;
		this.isRenewalDue = false;
		if (token) {
			this.token = token;
			this.loginBackoff.reportSucceeded();
			return result;
		}
		const isRefused = failure.kind === 'loginRefused';
		// The service no longer accepts the account, so it will probably reject the token, too.
		if (isRefused) this.token = undefined;
		// Other failures of a credential test, which tries only once, do not delay the logins of others.
		const counts =
			isRefused || (!isTest && failure.kind !== 'notSent' && failure.kind !== 'cancelled');
		if (counts) this.loginBackoff.reportFailed(failure, this.clock.now());
		return result;
	}
}

/** Returns whether to replace a token. A short lifetime has a margin of a tenth. */
function isExpired({ issuedAt, expiresAt = issuedAt + UNKNOWN_LIFETIME_MS }: AccessToken): boolean {
	return Date.now() >= expiresAt - Math.min(EXPIRY_MARGIN_MS, (expiresAt - issuedAt) / 10);
}
