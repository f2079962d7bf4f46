import { cancelled, type Failure, type Result } from '../service/failures';
import { unlessAborted } from '../service/abort';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../messages/duration';
import { systemClock, type Clock } from './clock';
import { ReauthBackoff } from './reauthBackoff';

/** Wait this long after a refused login, because repeating it could lock the account. Doubles each time. */
const REFUSED_LOGIN_MS = { min: 30 * SECOND_MS, max: HOUR_MS };
/** Wait this long after any other failed login, or each item would repeat it. The service may ask for more. */
const FAILED_LOGIN_MS = { min: 5 * SECOND_MS, max: 5 * MINUTE_MS };
/** Replace a token this long before it expires, so that it is still valid when the request arrives. */
const EXPIRY_MARGIN_MS = 10 * SECOND_MS;

/** Times are milliseconds since 1970 by this machine's clock. */
export interface AccessToken {
	value: string;
	issuedAt: number;
	/** When it is likely to expire; absent if that is not known. */
	expiresAt?: number | undefined;
}

/** @param stop aborted when nobody waits for the login any more. */
export type LogIn = (stop: AbortSignal) => Promise<Result<AccessToken>>;

/** A login in progress. */
interface SharedLogin {
	result: Promise<Result<AccessToken>>;
	waiting: number;
	stop: AbortController;
}

/**
 * Holds the token of an account in this process, and makes one login at a time for all that need a token.
 *
 * A 401 may mean the token or the document. So the token is invalidated, one login replaces it, and the document is asked for
 * once more. {@link ReauthBackoff} spaces out such logins.
 */
export class TokenSource {
	private token: AccessToken | undefined;
	private login: SharedLogin | undefined;
	private lastFailure: { failure: Failure; retryAt: number; refusals: number } | undefined;
	private readonly documentBackoff = new ReauthBackoff();
	/** HTTP Request nodes report every failed request, a 404 too. Documents must not have to wait for that. */
	private readonly httpNodeBackoff = new ReauthBackoff();

	constructor(private readonly clock: Clock = systemClock) {}

	/** Returns the token to send requests with; undefined if a login is needed. */
	get current(): AccessToken | undefined {
		return this.token && !isExpired(this.token) ? this.token : undefined;
	}

	/**
	 * Logs in, or waits for the login in progress. If one has failed a short while ago, returns its failure.
	 *
	 * @param isTest whether a person tests the credential, so that a failure before does not count.
	 * @returns a failure of kind 'cancelled' if the signal is aborted first.
	 */
	async logIn(
		logIn: LogIn,
		{ signal, isTest = false }: { signal?: AbortSignal | undefined; isTest?: boolean } = {},
	): Promise<Result<AccessToken>> {
		const { lastFailure } = this;
		if (!this.login && !isTest && lastFailure && this.clock.now() < lastFailure.retryAt) {
			return { failure: lastFailure.failure };
		}
		const login = (this.login ??= this.start(logIn));
		login.waiting += 1;
		const result = await unlessAborted(login.result, signal);
		login.waiting -= 1;
		if (login.waiting === 0) login.stop.abort();
		if (!result) return { failure: cancelled() };
		// It was stopped for lack of interest before this call joined it.
		if (result.failure?.kind === 'cancelled') return await this.logIn(logIn, { signal, isTest });
		return result;
	}

	/**
	 * The service has answered a document with 401.
	 *
	 * @returns how long to wait before asking for it again, in milliseconds; undefined if another token is not likely to help.
	 */
	reportUnauthorized(token: AccessToken): number | undefined {
		const isReplaced = this.invalidate(token, this.documentBackoff);
		return isReplaced ? 0 : this.documentBackoff.delayMs(this.clock.now());
	}

	/** The document was accepted with another token. */
	reportReauthSucceeded(): void {
		this.documentBackoff.succeeded();
	}

	/** A request of an HTTP Request node has failed. @returns whether to send it again with another token. */
	reportHttpNodeFailed(token: AccessToken): boolean {
		return this.invalidate(token, this.httpNodeBackoff);
	}

	/** @returns whether there is another token, or will be after a login. */
	private invalidate(token: AccessToken, backoff: ReauthBackoff): boolean {
		if (token !== this.current) return true;
		if (!backoff.tryStart(this.clock.now())) return false;
		this.token = undefined;
		return true;
	}

	private start(logIn: LogIn): SharedLogin {
		const stop = new AbortController();
		const result = logIn(stop.signal)
			.then((reached) => this.remember(reached))
			.finally(() => {
				this.login = undefined;
			});
		return { result, waiting: 0, stop };
	}

	private remember(result: Result<AccessToken>): Result<AccessToken> {
		const { value: token, failure } = result;
		if (token) {
			this.token = token;
			this.lastFailure = undefined;
			// A request of an HTTP Request node that fails with a token this new has another reason.
			this.httpNodeBackoff.tryStart(this.clock.now());
		} else if (failure.kind !== 'notSent' && failure.kind !== 'cancelled') {
			this.lastFailure = this.backOff(failure);
		}
		return result;
	}

	private backOff(failure: Failure) {
		const { lastFailure } = this;
		const isRefused = failure.kind === 'loginRefused';
		const refusals = (lastFailure?.refusals ?? 0) + (isRefused ? 1 : 0);
		const { min, max } = isRefused ? REFUSED_LOGIN_MS : FAILED_LOGIN_MS;
		const waitMs = isRefused ? min * 2 ** (refusals - 1) : Math.max(min, failure.waitMs ?? 0);
		const retryAt = this.clock.now() + Math.min(max, waitMs);
		// A credential test may fail for another reason soon after a refusal, which then still counts.
		return lastFailure && lastFailure.retryAt > retryAt
			? lastFailure
			: { failure, retryAt, refusals };
	}
}

/** Leaves a tenth of a short life. */
function isExpired({ issuedAt, expiresAt = Infinity }: AccessToken): boolean {
	return Date.now() >= expiresAt - Math.min(EXPIRY_MARGIN_MS, (expiresAt - issuedAt) / 10);
}
