import type { ExchangeFailure, ExchangeOutcome } from './exchange';
import { hasEnded, type IssuedToken } from './issuedToken';

/** How long a refused login is remembered, so that no account is locked by repeating it. */
const REFUSAL_PAUSE_MS = 30_000;
/** How long any other failed exchange is remembered at least, so that it is not repeated for every item. */
const FAILURE_PAUSE_MS = 5_000;
/** The longest wait that a service may ask for by `Retry-After`. */
const LONGEST_PAUSE_MS = 300_000;
/** For this long after an exchange, a rejected token is exchanged again only as {@link TokenKeeper} says. */
const SETTLED_AFTER_MS = 30_000;
const PROVEN_AFTER_MS = 250;
const MAX_EARLY_RENEWALS = 4;
const MAX_DEAD_TOKENS = 20;

/** One request and the token it was signed with. */
export interface Signature {
	token: IssuedToken;
	signedAt: number;
}

/**
 * The tokens of one account in this process.
 *
 *             exchange                    missing, ended or rejected
 *   nothing ───────────▶ newest token ────────────────────────────────▶ exchange, shared by all who need one
 *      │                      │
 *      │ refused, failed      │ a request failed with an older token, or an exchange would not help
 *      ▼                      ▼
 *   pause: the failure     the newest token is handed out again
 *   is repeated without
 *   a request
 *
 * An exchange does not help where the service rejects even a new token. So soon after an exchange a rejected token is
 * exchanged only if it is proven: an earlier request was signed with it, was not rejected, and must have been answered
 * by now, judged by the time that the rejection took. And that only a few times, since a service may accept a token
 * for one site and reject it for another.
 */
export class TokenKeeper {
	private newest: IssuedToken | undefined;

	/** Values that were exchanged because they were rejected; other processes may still store them. */
	private readonly dead: string[] = [];

	/** The first request that was signed with the newest token and, as far as is known, was not rejected. */
	private witness: Signature | undefined;

	/** When the newest token was obtained here. */
	private exchangedAt = -Infinity;

	private earlyRenewals: number[] = [];

	private underWay: Promise<ExchangeOutcome> | undefined;

	private pause: { failure: ExchangeFailure; endsAt: number } | undefined;

	constructor(private readonly clock: () => number = Date.now) {}

	/** The failure of the last exchange, as long as it is not to be repeated. */
	rememberedFailure(): ExchangeFailure | undefined {
		return this.pause && this.clock() < this.pause.endsAt ? this.pause.failure : undefined;
	}

	/**
	 * Chooses the token for a request: the younger of the stored one, which may stem from another process, and the
	 * newest known here. Undefined where both are missing or have ended, so that one must be obtained first.
	 *
	 * @param isRepeated whether n8n signs the request for the second and last time.
	 */
	sign(stored: IssuedToken | undefined, isRepeated: boolean): Signature | undefined {
		const now = this.clock();
		if (stored && this.isNews(stored, now)) this.use(stored);
		const token = isRepeated ? this.newest : this.current();
		if (!token) return undefined;

		const signature = { token, signedAt: now };
		this.witness ??= signature;
		return signature;
	}

	/**
	 * A token for a request that has none or whose token was rejected.
	 *
	 * @param rejected how the request was signed, where it was.
	 * @param isTest whether username and password are to be proven now, whatever is known.
	 */
	async renew(
		rejected: Signature | undefined,
		isTest: boolean,
		exchange: () => Promise<ExchangeOutcome>,
	): Promise<ExchangeOutcome> {
		const now = this.clock();
		const token = this.current();
		const isRejected = rejected !== undefined && rejected.token.value === token?.value;
		const mayHelp = isRejected && this.mayHelp(rejected, now);
		if (this.underWay) return await this.underWay;
		if (!isTest) {
			if (token && !mayHelp) return { token };
			const failure = this.rememberedFailure();
			if (failure) return { failure };
		}
		if (mayHelp) this.bury(rejected.token, now);
		this.underWay = this.obtain(exchange);
		return await this.underWay;
	}

	/** Takes note of a login elsewhere, which ends the newest token where a service keeps but one for an account. */
	noteLogin(): void {
		this.exchangedAt = -Infinity;
	}

	private async obtain(exchange: () => Promise<ExchangeOutcome>): Promise<ExchangeOutcome> {
		try {
			const outcome = await exchange();
			const now = this.clock();
			if (outcome.failure) {
				this.pause = { failure: outcome.failure, endsAt: now + pauseAfter(outcome.failure) };
			} else {
				this.pause = undefined;
				this.use(outcome.token);
				this.exchangedAt = now;
			}
			return outcome;
		} finally {
			this.underWay = undefined;
		}
	}

	private current(): IssuedToken | undefined {
		return this.newest && !hasEnded(this.newest, this.clock()) ? this.newest : undefined;
	}

	private isNews(stored: IssuedToken, now: number): boolean {
		return (
			!hasEnded(stored, now) &&
			!this.dead.includes(stored.value) &&
			!(this.newest && this.newest.issuedAt >= stored.issuedAt)
		);
	}

	private use(token: IssuedToken): void {
		this.newest = token;
		this.witness = undefined;
	}

	private bury(token: IssuedToken, now: number): void {
		this.dead.push(token.value);
		this.dead.splice(0, this.dead.length - MAX_DEAD_TOKENS);
		this.earlyRenewals.push(now);
	}

	/** Whether exchanging the newest token may help a request that was rejected with it. */
	private mayHelp(rejected: Signature, now: number): boolean {
		const answerTime = now - rejected.signedAt;
		const isProven =
			this.witness !== undefined &&
			now - this.witness.signedAt >= Math.max(PROVEN_AFTER_MS, 3 * answerTime);
		// A witness that is not proven by now has most likely been rejected as well.
		if (!isProven) this.witness = undefined;
		if (now - this.exchangedAt >= SETTLED_AFTER_MS) return true;

		this.earlyRenewals = this.earlyRenewals.filter((at) => now - at < SETTLED_AFTER_MS);
		return isProven && this.earlyRenewals.length < MAX_EARLY_RENEWALS;
	}
}

function pauseAfter({ refused, waitMs = 0 }: ExchangeFailure): number {
	if (refused) return REFUSAL_PAUSE_MS;
	return Math.min(LONGEST_PAUSE_MS, Math.max(FAILURE_PAUSE_MS, waitMs));
}
