import { HOUR_MS, MINUTE_MS } from '../shared/duration';
import type { FailureText } from '../shared/messages';
import { hasEnded, type IssuedToken } from './issuedToken';

/** Why there is no token. */
export interface ExchangeFailure extends FailureText {
	/** Whether the service has refused username and password, so that trying them again could lock the account. */
	loginRefused?: boolean;
	/** Whether the service was not asked, so that the next request may try at once. */
	isUnasked?: boolean;
	/** Whether the same exchange may succeed a little later. */
	retryable?: boolean;
	/** How long the service asks to wait, in milliseconds, where it does. */
	waitMs?: number | undefined;
}

/** The result of an exchange; neither where the service has refused it because there were too many requests. */
export type ExchangeOutcome =
	| { token: IssuedToken; failure?: never }
	| { token?: never; failure: ExchangeFailure }
	| { token?: never; failure?: never };

/** What follows from a rejection. */
export type Verdict =
	/** To ask for the document again: there is another token, or one is worth an exchange. */
	| 'again'
	/** The rejection is about the document. */
	| 'final'
	/** Tokens that were accepted have been rejected so often that no more are obtained for now. */
	| 'contested';

/** Exchanges username and password for a token. */
export type Exchange = () => Promise<ExchangeOutcome>;

/** No retry for so long after a refused login: repeating it could lock the account. It doubles each time. */
const RETRY_AFTER_REFUSAL_MS = 30_000;
const LONGEST_RETRY_AFTER_REFUSAL_MS = HOUR_MS;
/** No retry for so long after any other failed exchange, at least: it would be repeated for every item. */
const RETRY_AFTER_FAILURE_MS = 5_000;
/** The longest wait that a service may ask for by `Retry-After`. */
const LONGEST_RETRY_MS = 5 * MINUTE_MS;

/** After so many exchanges in a row whose tokens were not accepted, the next one is delayed. */
const EXCHANGES_BEFORE_BACKOFF = 2;
/** The first delay; it doubles each time. */
const BACKOFF_MS = 30_000;
const LONGEST_BACKOFF_MS = 30 * MINUTE_MS;

/** At most so many exchanges in {@link RECENT_MS}: a service may keep one session per account. */
const MAX_RECENT_EXCHANGES = 4;
const RECENT_MS = 30_000;

/**
 * After so many logins in a row that did not help a rejected document, the next rejection is believed without one: 50 of 150
 * sites that may not be read cost four logins.
 */
const UNMENDED_BEFORE_BELIEF = 2;
/** So many rejections in a row are believed, and only so soon after another document was accepted: later, the token may have been revoked. */
const MAX_BELIEVED = 5;
const BELIEVED_WITHIN_MS = 10_000;

/** So many sessions that ended within this time were probably ended by other logins. */
const MENDED_BEFORE_CONTESTED = 2;
const CONTESTED_MS = 5 * MINUTE_MS;

/** A token younger than this is not replaced for a request of another node that has failed. */
const FRESH_MS = 30_000;

/** For how long a document is denied after it was rejected with two tokens. */
const DENIED_MS = HOUR_MS;
const MAX_DOCUMENTS = 1000;
const MAX_DISCARDED = 20;

/**
 * The tokens of one account in this process, and when another one is worth an exchange.
 *
 *              exchange                   missing, ended or rejected
 *   no token ───────────▶ newest token ────────────────────────────────▶ exchange, shared by all requests that need one
 *      │                       │
 *      │ refused, failed       │ rejected, and not worth an exchange
 *      ▼                       ▼
 *   the failure is         the rejection is final
 *   returned until
 *   the next retry
 *
 * A document is not worth an exchange if it is rejected again with the token that was obtained for it (it is denied for an
 * hour). No document is worth one during the backoff after tokens that the service never accepted. All times are
 * in milliseconds, those of a monotonic clock.
 */
export class TokenCache {
	private newest: IssuedToken | undefined;

	/** Whether the service has accepted the newest token. */
	private isAccepted = false;

	/** Whether a login of n8n's own may have ended the newest token's session. */
	private isDoubtful = false;

	/** Documents for which the token before the newest one was rejected. */
	private rejectedBefore = new Set<string>();

	/** Documents that the account may not read, and since when that is known. */
	private readonly denied = new Map<string, number>();

	/** Tokens that were rejected or replaced; executions and other processes may still hold them. */
	private readonly discarded: string[] = [];

	/** How many exchanges in a row were made for a document that was rejected again. */
	private unmended = 0;

	/** When logins have mended a rejection: the session had ended. */
	private mended: number[] = [];

	/** Whether the newest token has mended one. */
	private hasMended = false;

	/** How many rejections have been believed since a document was accepted. */
	private believed = 0;

	/** When the newest token was last accepted. */
	private acceptedAt = -Infinity;

	/** How many logins in a row were refused. */
	private refusedLogins = 0;

	/** How many exchanges in a row have brought a token that was not accepted. */
	private exchangesWithoutAcceptance = 0;

	private recentExchanges: number[] = [];

	/** When a token was last worth an exchange because a request of another node had failed. */
	private replacedAt = -Infinity;

	/** The value of that token, until it has been exchanged. */
	private replaced: string | undefined;

	private underWay: Promise<ExchangeOutcome> | undefined;

	private lastFailure: { failure: ExchangeFailure; retryAt: number } | undefined;

	/** @param timeOfDay gives milliseconds since 1970, by which tokens end. */
	constructor(
		private readonly clock: () => number = () => performance.now(),
		private readonly timeOfDay: () => number = () => Date.now(),
	) {}

	/** The exchange that is under way. */
	get renewal(): Promise<ExchangeOutcome> | undefined {
		return this.underWay;
	}

	/**
	 * Chooses the token for a request: the newer of the stored one, which may come from another process, and the one known
	 * here.
	 *
	 * @param unwanted the value of a token that the request has failed with.
	 * @returns undefined where both are missing, unwanted or have ended, so that one must be obtained first. After too many
	 *   recent exchanges, a token is used although it should have ended.
	 */
	choose(stored: IssuedToken | undefined, unwanted?: string): IssuedToken | undefined {
		if (stored && this.isNewer(stored)) this.use(stored);
		const isFrequent = this.countRecent(this.clock()) >= MAX_RECENT_EXCHANGES;
		const token = isFrequent ? this.newest : this.current();
		return token?.value === unwanted ? undefined : token;
	}

	/** Records that the service has accepted a token for a document. */
	confirm({ value }: IssuedToken, path: string): void {
		this.denied.delete(path);
		if (this.newest?.value !== value) return;
		this.isAccepted = true;
		this.acceptedAt = this.clock();
		this.believed = 0;
		if (this.rejectedBefore.delete(path)) this.noteMended();
		this.exchangesWithoutAcceptance = 0;
	}

	/** Records that the service has rejected a token for a document. */
	reject({ value }: IssuedToken, path: string): Verdict {
		if (this.newest?.value !== value) {
			if (this.rejectedBefore.size < MAX_DOCUMENTS) this.rejectedBefore.add(path);
			return 'again';
		}
		const isFrequent = this.countRecent(this.clock()) >= MAX_RECENT_EXCHANGES;
		if (!this.isWorthExchanging(path) || isFrequent) {
			return this.isContested ? 'contested' : 'final';
		}
		this.discard(value);
		this.newest = undefined;
		this.rejectedBefore = new Set([path]);
		return 'again';
	}

	/**
	 * Whether to send a request of another node again, which has failed, perhaps for another reason than its token.
	 *
	 * @param carried the token that it was sent with.
	 */
	isWorthReplacing(carried: IssuedToken): boolean {
		const ageMs = this.timeOfDay() - carried.issuedAt;
		if (!this.isDoubtful && ageMs >= 0 && ageMs < FRESH_MS) return false;
		const token = this.current();
		if (token && token.value !== carried.value) return true;
		if (this.currentFailure()) return false;
		if (this.replaced === carried.value) return true;
		const now = this.clock();
		if (now - this.replacedAt < RECENT_MS) return false;
		if (this.countRecent(now) >= MAX_RECENT_EXCHANGES) return false;
		this.replacedAt = now;
		this.replaced = carried.value;
		return true;
	}

	/**
	 * Exchanges username and password for a token, or waits for the exchange that is under way.
	 *
	 * @param counts whether the exchange counts towards the backoff. It does not for a credential test, nor for a
	 *   request of another node.
	 */
	async renew(exchange: Exchange, { counts }: { counts: boolean }): Promise<ExchangeOutcome> {
		this.underWay ??= this.exchangeNow(exchange, counts).finally(() => {
			this.underWay = undefined;
		});
		return await this.underWay;
	}

	/** Why the last exchange has failed, until it may be retried. */
	currentFailure(): ExchangeFailure | undefined {
		const { lastFailure } = this;
		return lastFailure && this.clock() < lastFailure.retryAt ? lastFailure.failure : undefined;
	}

	/** Forgets what is known of the token and of documents: a login of n8n's own may have ended the session. */
	noteCredentialTest(): void {
		this.exchangesWithoutAcceptance = 0;
		this.unmended = 0;
		this.recentExchanges = [];
		this.denied.clear();
		if (this.newest) this.use(this.newest);
		this.isDoubtful = true;
	}

	private async exchangeNow(exchange: Exchange, counts: boolean): Promise<ExchangeOutcome> {
		const outcome = await exchange();
		this.replaced = undefined;
		const now = this.clock();
		if (outcome.failure && !outcome.failure.isUnasked) {
			if (counts && outcome.failure.loginRefused) this.refusedLogins += 1;
			const retryAt = now + this.retryDelayMs(outcome.failure);
			// A credential test may fail for another reason soon after a refusal; the refusal then still applies.
			if (!this.lastFailure || retryAt >= this.lastFailure.retryAt) {
				this.lastFailure = { failure: outcome.failure, retryAt };
			}
		} else if (outcome.token) {
			this.lastFailure = undefined;
			this.refusedLogins = 0;
			this.recentExchanges = [...this.recentExchanges, now].slice(-MAX_RECENT_EXCHANGES);
			if (counts) this.exchangesWithoutAcceptance += 1;
			this.use(outcome.token);
		}
		return outcome;
	}

	private noteMended(): void {
		this.unmended = 0;
		if (this.hasMended) return;
		this.hasMended = true;
		this.mended = [...this.mended, this.clock()].slice(-MENDED_BEFORE_CONTESTED);
	}

	private get isContested(): boolean {
		const [earliest = -Infinity] = this.mended;
		const isFull = this.mended.length === MENDED_BEFORE_CONTESTED;
		return isFull && this.clock() - earliest < CONTESTED_MS;
	}

	/** Whether another token might be accepted for a document for which the newest one was rejected. */
	private isWorthExchanging(path: string): boolean {
		const now = this.clock();
		if (this.isDenied(path, now)) return false;
		const isUnmended = this.rejectedBefore.has(path);
		if (isUnmended) this.unmended += 1;
		if (this.isAccepted && isUnmended) {
			this.deny(path, now);
			return false;
		}
		if (this.isBelievable(now)) {
			this.believed += 1;
			return false;
		}
		// The service may reject a token that it has never accepted for every document.
		return this.isAccepted || now >= this.backoffUntil();
	}

	/** Whether a rejection is about the document, by all that is known, and not about the token. */
	private isBelievable(now: number): boolean {
		const isAcceptedNow = this.isAccepted && now - this.acceptedAt < BELIEVED_WITHIN_MS;
		return isAcceptedNow && this.unmended >= UNMENDED_BEFORE_BELIEF && this.believed < MAX_BELIEVED;
	}

	private isDenied(path: string, now: number): boolean {
		const since = this.denied.get(path);
		if (since === undefined) return false;
		if (now - since < DENIED_MS) return true;
		this.denied.delete(path);
		this.rejectedBefore.delete(path);
		return false;
	}

	private deny(path: string, now: number): void {
		this.denied.set(path, now);
		const [oldest] = this.denied.keys();
		if (this.denied.size > MAX_DOCUMENTS && oldest !== undefined) this.denied.delete(oldest);
	}

	private backoffUntil(): number {
		const excess = this.exchangesWithoutAcceptance - EXCHANGES_BEFORE_BACKOFF;
		const lastAt = this.recentExchanges.at(-1);
		if (excess < 0 || lastAt === undefined) return -Infinity;
		return lastAt + Math.min(LONGEST_BACKOFF_MS, BACKOFF_MS * 2 ** excess);
	}

	private countRecent(now: number): number {
		return this.recentExchanges.filter((at) => now - at < RECENT_MS).length;
	}

	private current(): IssuedToken | undefined {
		const { newest } = this;
		return newest && !hasEnded(newest, this.timeOfDay()) ? newest : undefined;
	}

	private isNewer(stored: IssuedToken): boolean {
		const now = this.timeOfDay();
		if (hasEnded(stored, now) || this.discarded.includes(stored.value)) return false;
		if (!this.newest) return true;
		// A token issued in the future was issued before the clock was set back, so any other token is newer.
		const timeOf = ({ issuedAt }: IssuedToken) => (issuedAt <= now ? issuedAt : -Infinity);
		return timeOf(stored) > timeOf(this.newest);
	}

	private use(token: IssuedToken): void {
		if (this.newest) {
			if (this.newest.value !== token.value) this.discard(this.newest.value);
			this.rejectedBefore.clear();
		}
		this.newest = token;
		this.isAccepted = false;
		this.isDoubtful = false;
		this.hasMended = false;
	}

	private discard(value: string): void {
		this.discarded.push(value);
		this.discarded.splice(0, this.discarded.length - MAX_DISCARDED);
	}

	private retryDelayMs({ loginRefused, waitMs = 0 }: ExchangeFailure): number {
		if (!loginRefused) return Math.min(LONGEST_RETRY_MS, Math.max(RETRY_AFTER_FAILURE_MS, waitMs));
		const delayMs = RETRY_AFTER_REFUSAL_MS * 2 ** Math.max(0, this.refusedLogins - 1);
		return Math.min(LONGEST_RETRY_AFTER_REFUSAL_MS, delayMs);
	}
}
