import { HOUR_MS, MINUTE_MS } from '../texts/duration';
import type { FailureText } from '../texts/messages';
import { hasEnded, type IssuedToken } from './issuedToken';
import { Rejections, type LoginReason, type Verdict } from './rejections';

/** Why there is no token. */
export interface ExchangeFailure extends FailureText {
	/** Whether the service has refused username and password, so that trying them again could lock the account. */
	loginRefused?: boolean;
	/** Whether the service was not asked, so that the next request may try at once. */
	isUnasked?: boolean;
	/** Whether the same exchange may succeed a little later. */
	retryable?: boolean;
	/** How long the service asks to wait, in milliseconds, if it does. */
	waitMs?: number | undefined;
}

/** The result of an exchange; neither if the service has refused it because there were too many requests. */
export type ExchangeOutcome =
	| { token: IssuedToken; failure?: never }
	| { token?: never; failure: ExchangeFailure }
	| { token?: never; failure?: never };

/** Exchanges username and password for a token. */
export type Exchange = () => Promise<ExchangeOutcome>;

/** Why the last exchange has failed. */
interface LastFailure {
	failure: ExchangeFailure;
	retryAt: number;
	/** How many logins have been refused since one succeeded. */
	refusals: number;
}

/** No retry for so long after a refused login: repeating it could lock the account. It doubles each time. */
const RETRY_AFTER_REFUSAL_MS = 30_000;
const LONGEST_RETRY_AFTER_REFUSAL_MS = HOUR_MS;
/** No retry for so long after any other failed exchange, at least: it would be repeated for every item. */
const RETRY_AFTER_FAILURE_MS = 5_000;
/** The longest wait that a service may ask for by `Retry-After`. */
const LONGEST_RETRY_MS = 5 * MINUTE_MS;

/** A token younger than this is not replaced for a request of another node that has failed. */
const FRESH_MS = 30_000;

/**
 * The tokens of one account in this process: which one is used, and how another one is obtained. Whether a rejection is
 * about the token is the business of {@link Rejections}.
 *
 *              login                       expired, or given up
 *   no token ─────────▶ newest token ─────────────────────────────▶ login, shared by all requests that need one
 *      │                  ▲      │                                    │
 *      │ refused,         │      │ rejected, and it may be the token  │
 *      │ failed           │      ▼                                    │
 *      ▼                  │   given up; never used again              │
 *   the failure is        └───────────────────────────────────────────┘
 *   returned until
 *   the next retry
 *
 * Times are in milliseconds, those of a monotonic clock.
 */
export class TokenChoice {
	private newest: IssuedToken | undefined;

	/** Why the newest token was given up. It is kept since the credential may still hold it. */
	private givenUp: 'rejected' | 'credential tested' | undefined;

	private underWay: Promise<ExchangeOutcome> | undefined;

	private lastFailure: LastFailure | undefined;

	private readonly rejections: Rejections;

	/** @param timeOfDay gives milliseconds since 1970, by which tokens end. */
	constructor(
		private readonly clock: () => number = () => performance.now(),
		private readonly timeOfDay: () => number = () => Date.now(),
	) {
		this.rejections = new Rejections(clock);
	}

	/** The exchange that is under way. */
	get renewal(): Promise<ExchangeOutcome> | undefined {
		return this.underWay;
	}

	/**
	 * Chooses the token for a request: the newer of the stored one, which may come from another process, and the one known
	 * here.
	 *
	 * @param unwanted the value of a token that the request has failed with.
	 * @returns undefined if both are missing, unwanted, given up or expired, so that one must be obtained first. After too
	 *   many logins, a token is used although it should have expired.
	 */
	choose(stored: IssuedToken | undefined, unwanted?: string): IssuedToken | undefined {
		if (stored && this.isNewer(stored)) this.use(stored);
		const token = this.current();
		return token?.value === unwanted ? undefined : token;
	}

	/** Records that the service has accepted a token for a document. */
	accept({ value }: IssuedToken, path: string): void {
		this.rejections.accept(value, path, this.newest?.value);
	}

	/** Records that the service has rejected a token for a document. */
	reject({ value }: IssuedToken, path: string): Verdict {
		const newest = this.givenUp ? undefined : this.newest?.value;
		const verdict = this.rejections.reject(value, path, newest);
		if (verdict === 'again' && value === newest) this.givenUp = 'rejected';
		return verdict;
	}

	/**
	 * Whether to send a request of another node again, which has failed, perhaps for another reason than its token.
	 *
	 * @param carried the token that it was sent with.
	 */
	isWorthReplacing(carried: IssuedToken): boolean {
		const token = this.current();
		if (token && token.value !== carried.value) return true;
		if (this.currentFailure()) return false;
		if (!token) return true;
		const ageMs = this.timeOfDay() - token.issuedAt;
		const isFresh = ageMs >= 0 && ageMs < FRESH_MS;
		return !isFresh && !this.rejections.areLoginsFrequent;
	}

	/** Exchanges username and password for a token, or waits for the exchange that is under way. */
	async renew(exchange: Exchange): Promise<ExchangeOutcome> {
		this.underWay ??= this.exchangeNow(exchange).finally(() => {
			this.underWay = undefined;
		});
		return await this.underWay;
	}

	/** Why the last exchange has failed, until it may be retried. */
	currentFailure(): ExchangeFailure | undefined {
		const { lastFailure } = this;
		return lastFailure && this.clock() < lastFailure.retryAt ? lastFailure.failure : undefined;
	}

	/** Forgets what was rejected, and the token: a login of n8n's own may have ended its session. */
	noteCredentialTest(): void {
		this.rejections.forget();
		this.givenUp = 'credential tested';
	}

	private async exchangeNow(exchange: Exchange): Promise<ExchangeOutcome> {
		const reason = this.loginReason;
		const outcome = await exchange();
		if (outcome.token) {
			this.lastFailure = undefined;
			this.rejections.noteLogin(outcome.token.value, reason);
			this.use(outcome.token);
		} else if (outcome.failure && !outcome.failure.isUnasked) {
			this.noteFailure(outcome.failure);
		}
		return outcome;
	}

	private get loginReason(): LoginReason {
		if (this.givenUp === 'rejected') return 'rejected';
		return this.current() ? 'other node' : 'no token';
	}

	private noteFailure(failure: ExchangeFailure): void {
		const { retryAt: earlier = -Infinity, refusals: before = 0 } = this.lastFailure ?? {};
		const refusals = before + (failure.loginRefused ? 1 : 0);
		const retryAt = this.clock() + retryDelayMs(failure, refusals);
		// A credential test may fail for another reason soon after a refusal; the refusal then still applies.
		if (retryAt >= earlier) this.lastFailure = { failure, retryAt, refusals };
	}

	private current(): IssuedToken | undefined {
		const { newest } = this;
		if (!newest || this.givenUp) return undefined;
		const isUsable = !hasEnded(newest, this.timeOfDay()) || this.rejections.areLoginsFrequent;
		return isUsable ? newest : undefined;
	}

	private isNewer(stored: IssuedToken): boolean {
		const now = this.timeOfDay();
		if (hasEnded(stored, now)) return false;
		if (!this.newest) return true;
		// A token issued in the future was issued before the clock was set back, so any other token is newer.
		const timeOf = ({ issuedAt }: IssuedToken) => (issuedAt <= now ? issuedAt : -Infinity);
		return timeOf(stored) > timeOf(this.newest);
	}

	private use(token: IssuedToken): void {
		this.newest = token;
		this.givenUp = undefined;
	}
}

function retryDelayMs({ loginRefused, waitMs = 0 }: ExchangeFailure, refusals: number): number {
	if (!loginRefused) return Math.min(LONGEST_RETRY_MS, Math.max(RETRY_AFTER_FAILURE_MS, waitMs));
	const delayMs = RETRY_AFTER_REFUSAL_MS * 2 ** (refusals - 1);
	return Math.min(LONGEST_RETRY_AFTER_REFUSAL_MS, delayMs);
}
