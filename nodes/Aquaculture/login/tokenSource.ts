import { cancelled, type Result } from '../service/failures';
import { unlessAborted } from '../utils/abort';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../utils/time';
import { systemClock, type Clock } from '../utils/clock';
import { LoginBackoff } from './loginBackoff';
import { ReauthBackoff } from './reauthBackoff';
import { RejectedDocuments } from './loginAfter401';

/** Replace a token this long before it expires, so that it is still valid when the request arrives. */
const EXPIRY_MARGIN_MS = 10 * SECOND_MS;
/** Replace a token of unknown lifetime after this time: with Never Error or Pagination, n8n does not report its failures. */
const UNKNOWN_LIFETIME_MS = HOUR_MS;
/** Time between two logins because HTTP Request nodes fail. A node that always gets 404 costs six logins in the first hour. */
const HTTP_NODE_INTERVAL_MS = { min: MINUTE_MS, max: HOUR_MS };

/** Times are milliseconds since 1970 by this machine's clock. */
export interface AccessToken {
	value: string;
	issuedAt: number;
	/** When it is likely to expire; absent if that is not known. */
	expiresAt?: number | undefined;
}

/** @param signal aborts when nobody waits for the login any more. */
type Login = (signal: AbortSignal) => Promise<Result<AccessToken>>;

interface LoginInProgress {
	result: Promise<Result<AccessToken>>;
	/** How many callers wait for it. */
	waiting: number;
	abortController: AbortController;
}

/** Holds the token of an account in this process. Logs in once for all requests that need one. */
export class TokenSource {
	private token: AccessToken | undefined;
	/** A request of an HTTP Request node has failed with this token. */
	private suspectToken: AccessToken | undefined;
	/** Since when HTTP Request nodes have used a token, until the first failure with it. */
	private httpNodeUse: { token: AccessToken; since: number } | undefined;
	private inProgress: LoginInProgress | undefined;
	private readonly loginBackoff = new LoginBackoff();
	private readonly rejectedDocuments = new RejectedDocuments();
	private readonly httpNodeBackoff = new ReauthBackoff(HTTP_NODE_INTERVAL_MS);

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
		if (current && !(replacesSuspect && current === this.suspectToken)) return { value: current };
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
		joined.waiting += 1;
		const result = await unlessAborted(joined.result, signal);
		joined.waiting -= 1;
		if (joined.waiting === 0) joined.abortController.abort();
		if (!result) return { failure: cancelled() };
		// This call joined after the last waiter had left and the login was stopped, so log in again.
		if (result.failure?.kind === 'cancelled') {
			return await this.joinLogin(login, { signal, isTest });
		}
		return result;
	}

	/**
	 * The service has rejected a document with 401.
	 *
	 * @param documentKey its path and version.
	 * @param isFresh whether the token is newer than an earlier 401 for the document.
	 * @returns 0 to send the request again, with another token or after a login; the milliseconds to wait before calling this
	 *   again; undefined if another token is not likely to help.
	 */
	reportUnauthorized(token: AccessToken, documentKey: string, isFresh: boolean): number | undefined {
		if (token !== this.current) return 0;
		const delayMs = this.rejectedDocuments.reportUnauthorized(documentKey, isFresh, this.clock.now());
		if (delayMs === 0) this.token = undefined;
		return delayMs;
	}

	/** The service has returned a document. */
	reportRead(documentKey: string): void {
		this.rejectedDocuments.reportRead(documentKey);
	}

	/** The service has accepted a fresh token, whatever its answer was. */
	reportFreshTokenAccepted(): void {
		this.rejectedDocuments.reportFreshTokenAccepted();
	}

	/**
	 * A request of an HTTP Request node has failed. n8n does not say whether the token was rejected, so the next request of such
	 * a node gets a new one.
	 */
	reportHttpNodeFailed(token: AccessToken): void {
		if (token !== this.current || token === this.suspectToken) return;
		const now = this.clock.now();
		// If earlier requests succeeded with this token for a while, the last login has helped.
		const since = this.httpNodeUse?.token === token ? this.httpNodeUse.since : now;
		if (now - since >= HTTP_NODE_INTERVAL_MS.min) this.httpNodeBackoff.reportSucceeded();
		this.httpNodeUse = { token, since: Infinity };
		if (this.httpNodeBackoff.tryStart(now)) this.suspectToken = token;
	}

	/** Whether a request of an HTTP Request node has failed with this token. */
	isSuspect(token: AccessToken): boolean {
		return token === this.suspectToken;
	}

	/** A request of an HTTP Request node is sent with this token. */
	reportHttpNodeSent(token: AccessToken): void {
		if (this.httpNodeUse?.token !== token) this.httpNodeUse = { token, since: this.clock.now() };
	}

	private start(login: Login): LoginInProgress {
		const abortController = new AbortController();
		const result = login(abortController.signal)
			.then((reached) => this.remember(reached))
			.finally(() => {
				this.inProgress = undefined;
			});
		return { result, waiting: 0, abortController };
	}

	private remember(result: Result<AccessToken>): Result<AccessToken> {
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
