import { cancelled, type Failure } from '../service/failures';
import type { AccessToken } from '../service/token';
import { unlessAborted } from '../utils/abort';
import { systemClock, type Clock } from '../utils/clock';
import { LoginBackoff } from './loginBackoff';
import { Relogin, type After401 } from './relogin';
import type { Result } from '../utils/result';
import { HOUR_MS, SECOND_MS } from '../utils/time';

/** Replace a token this long before it expires, so that it is still valid when the request arrives. */
const EXPIRY_MARGIN_MS = 10 * SECOND_MS;
/** Replace a token of unknown lifetime after this time: with Never Error or Pagination, n8n does not report its failures. */
const UNKNOWN_LIFETIME_MS = HOUR_MS;

/** Returns whether to replace a token. A short lifetime has a margin of a tenth. */
function isExpired({ issuedAt, expiresAt = issuedAt + UNKNOWN_LIFETIME_MS }: AccessToken): boolean {
	return Date.now() >= expiresAt - Math.min(EXPIRY_MARGIN_MS, (expiresAt - issuedAt) / 10);
}

type Login = () => Promise<Result<AccessToken, Failure>>;

/**
 * Holds the token of an account in this process. Logs in once for all requests that need one. `account.ts` decides which
 * credentials share a token source: a new password, for example, gets a new one.
 *
 * A token stays in use until it expires, or until a login has brought another: a document that is answered with 401 may be
 * rejected because of itself, and then the token is good for all others.
 */
export class TokenSource {
	private token: AccessToken | undefined;
	private loginInProgress: Promise<Result<AccessToken, Failure>> | undefined;
	private readonly loginBackoff = new LoginBackoff();
	private readonly relogin = new Relogin();

	constructor(private readonly clock: Clock = systemClock) {}

	/** Returns the token to send requests with; undefined if a login is needed. */
	get current(): AccessToken | undefined {
		return this.token && !isExpired(this.token) ? this.token : undefined;
	}

	/**
	 * Returns the token to send a request with; undefined if a login is needed first.
	 *
	 * @param rejectedToken the token with which the request was answered with 401.
	 * @param takesDoubtful whether the request takes a token that a login should replace. One of an HTTP Request node does so only if
	 *   that login has failed, because it cannot be sent again after a 401.
	 */
	tokenFor(
		rejectedToken: AccessToken | undefined,
		takesDoubtful: boolean,
	): AccessToken | undefined {
		const { current } = this;
		const isRejected = current !== undefined && current === rejectedToken;
		return isRejected || (this.relogin.isDue && !takesDoubtful) ? undefined : current;
	}

	/**
	 * Logs in, or waits for the login in progress. If one has failed a short while ago, returns its failure.
	 *
	 * @param signal ends the wait with a failure of kind 'cancelled'. The login continues, because its token can still be used.
	 */
	async joinLogin(login: Login, signal?: AbortSignal): Promise<Result<AccessToken, Failure>> {
		if (signal?.aborted) return { failure: cancelled() };
		const tooEarly = this.loginBackoff.failureAt(this.clock.now());
		if (!this.loginInProgress && tooEarly) return { failure: tooEarly };
		this.loginInProgress ??= this.start(login);
		return (await unlessAborted(this.loginInProgress, signal)) ?? { failure: cancelled() };
	}

	private async start(login: Login): Promise<Result<AccessToken, Failure>> {
		try {
			const result = await login();
			if (result.failure?.kind !== 'notSent') this.keep(result);
			return result;
		} finally {
			this.loginInProgress = undefined;
		}
	}

	/**
	 * Logs in for a credential test, whatever has failed before. A success or a refusal counts for others, too; other failures do
	 * not, because a test tries only once.
	 */
	async testLogin(login: Login): Promise<Result<AccessToken, Failure>> {
		const result = await login();
		if (!result.failure || result.failure.kind === 'loginRefused') this.keep(result);
		return result;
	}

	/** Keeps a new token, or how long to wait after a failed login. */
	private keep({ value: token, failure }: Result<AccessToken, Failure>): void {
		const now = this.clock.now();
		if (failure) {
			this.loginBackoff.reportFailed(failure, now);
			return;
		}
		this.relogin.reportLoggedIn(now);
		this.token = token;
		this.loginBackoff.reportSucceeded();
	}

	/**
	 * Decides what to do after the service has rejected a document with 401. If another token may help, the request that is sent
	 * again obtains it.
	 *
	 * @param document identifies it.
	 * @param isRejectedAgain whether the document was rejected with an earlier token, too.
	 */
	handle401(token: AccessToken, document: string, isRejectedAgain: boolean): After401 {
		const now = this.clock.now();
		if (token !== this.current) return 'getAnotherToken';
		if (isRejectedAgain) this.relogin.reportRejectedAgain(document, now);
		// A login is running, or has just failed: its result is the best answer, even if it is a failure.
		if (this.loginInProgress || this.loginBackoff.failureAt(now)) return 'getAnotherToken';
		return this.relogin.after401(document, now);
	}

	/** The service has answered the request for a document with a status that shows that the token is good. */
	reportAccepted(token: AccessToken, document: string): void {
		if (token === this.current) this.relogin.reportAccepted(document);
	}

	/** Makes the next HTTP Request node log in first, at most every five minutes: the token may be why a request has failed. */
	reportHttpNodeFailed(token: AccessToken): void {
		if (token === this.current) this.relogin.reportHttpNodeFailed(this.clock.now());
	}
}
