import { cancelled, type Failure } from '../service/failures';
import type { AccessToken } from '../service/token';
import { unlessAborted } from '../utils/abort';
import { HOUR_MS, SECOND_MS } from '../utils/time';
import { systemClock, type Clock } from '../utils/clock';
import { LoginBackoff } from './loginBackoff';
import { Relogin, type RenewalReason } from './relogin';
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
	/** Why a login may bring a better token than the current one, until a login has succeeded. */
	private renewalReason: RenewalReason | undefined;
	private inProgress: LoginInProgress | undefined;
	private readonly loginBackoff = new LoginBackoff();
	private readonly relogin = new Relogin();

	constructor(private readonly clock: Clock = systemClock) {}

	/** Returns the token to send requests with; undefined if a login is needed. */
	get current(): AccessToken | undefined {
		return this.token && !isExpired(this.token) ? this.token : undefined;
	}

	/** Whether a login may bring a better token than the current one. */
	get isRenewalDue(): boolean {
		return this.renewalReason !== undefined;
	}

	/**
	 * Returns the current token, after a login if there is none or another one is needed. If that login fails, returns the current
	 * token after all, unless it is the rejected one.
	 *
	 * @param rejected the token with which the request was answered with 401.
	 * @param isHttpNode whether an HTTP Request node sends it, which cannot send it again after a 401. It waits for a renewal that
	 *   is due; other requests need not.
	 */
	async obtain(
		login: Login,
		signal: AbortSignal | undefined,
		{ rejected, isHttpNode }: { rejected?: AccessToken | undefined; isHttpNode: boolean },
	): Promise<Result<AccessToken, Failure>> {
		const usable = () => (this.current === rejected ? undefined : this.current);
		const before = usable();
		if (before && !(isHttpNode && this.isRenewalDue)) return { value: before };
		const result = await this.joinLogin(login, { signal });
		const fallback = result.failure && usable();
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
		if (!this.inProgress && tooEarly) return { failure: tooEarly };
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
		const decision = this.relogin.after401(document, now);
		if (decision !== 'logIn') return decision;
		this.renewalReason = 'document';
		return 'getAnotherToken';
	}

	/** The service has answered the request for a document with another status than 401. */
	reportAccepted(token: AccessToken, document: string): void {
		if (token === this.current) this.relogin.reportAccepted(document);
	}

	/** A request of an HTTP Request node has failed, perhaps because of its token. The next one logs in first. */
	reportHttpNodeFailed(token: AccessToken): void {
		if (token !== this.current || !this.relogin.mayLogInForHttpNode(this.clock.now())) return;
		this.renewalReason ??= 'httpNode';
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
		const now = this.clock.now();
		if (token) {
			if (this.renewalReason) this.relogin.reportLoggedIn(this.renewalReason, now);
			this.renewalReason = undefined;
			this.token = token;
			this.loginBackoff.reportSucceeded();
			return result;
		}
		const isRefused = failure.kind === 'loginRefused';
		// Other failures of a credential test, which tries only once, do not delay the logins of others.
		const counts =
			isRefused || (!isTest && failure.kind !== 'notSent' && failure.kind !== 'cancelled');
		if (counts) this.loginBackoff.reportFailed(failure, now);
		return result;
	}
}

/** Returns whether to replace a token. A short lifetime has a margin of a tenth. */
function isExpired({ issuedAt, expiresAt = issuedAt + UNKNOWN_LIFETIME_MS }: AccessToken): boolean {
	return Date.now() >= expiresAt - Math.min(EXPIRY_MARGIN_MS, (expiresAt - issuedAt) / 10);
}
