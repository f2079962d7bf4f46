import type { ExchangeFailure, ExchangeOutcome } from './exchange';
import { hasEnded, type IssuedToken } from './issuedToken';

/** How long a refused login is remembered, so that no account is locked by repeating it. */
const REFUSAL_PAUSE_MS = 30_000;
/** How long any other failed exchange is remembered, so that it is not repeated for every item. */
const FAILURE_PAUSE_MS = 5_000;
/** A token of this age is exchanged whenever it is rejected; a younger one only as {@link TokenKeeper} says. */
const SETTLED_AGE_MS = 30_000;
const PROVEN_AFTER_MS = 250;
const MAX_YOUNG_RENEWALS = 3;

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
 * An exchange does not help where the service rejects even a new token. So a young token that was obtained here is
 * exchanged only if it is proven: an earlier request was signed with it, was not rejected, and must have been answered
 * by now, judged by the time that the rejection took. And that only a few times, since a service may accept a token
 * for one site and reject it for another.
 */
export class TokenKeeper {
	private newest: IssuedToken | undefined;

	private isOwn = false;

	/** The first request that was signed with the newest token and has not been rejected so far. */
	private witness: Signature | undefined;

	private youngRenewals: number[] = [];

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
	 * @param isRepeated whether the request was signed before; n8n does not tell of a second rejection.
	 */
	sign(stored: IssuedToken | undefined, isRepeated: boolean): Signature | undefined {
		const now = this.clock();
		if (
			stored &&
			!hasEnded(stored, now) &&
			!(this.newest && this.newest.issuedAt >= stored.issuedAt)
		) {
			this.use(stored, false);
		}
		const token = this.current();
		if (!token) return undefined;

		const signature = { token, signedAt: now };
		if (!isRepeated) this.witness ??= signature;
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
		if (rejected && rejected === this.witness) this.witness = undefined;
		if (this.underWay) return await this.underWay;
		if (!isTest) {
			const token = this.current();
			const isRejected = rejected !== undefined && rejected.token === token;
			if (token && !(isRejected && this.mayHelp(rejected, now))) return { token };
			const failure = this.rememberedFailure();
			if (failure) return { failure };
		}
		this.underWay = this.obtain(exchange);
		return await this.underWay;
	}

	private current(): IssuedToken | undefined {
		return this.newest && !hasEnded(this.newest, this.clock()) ? this.newest : undefined;
	}

	private async obtain(exchange: () => Promise<ExchangeOutcome>): Promise<ExchangeOutcome> {
		const outcome = await exchange();
		this.underWay = undefined;
		if (outcome.failure) {
			const length = outcome.failure.refused ? REFUSAL_PAUSE_MS : FAILURE_PAUSE_MS;
			this.pause = { failure: outcome.failure, endsAt: this.clock() + length };
		} else {
			this.pause = undefined;
			this.use(outcome.token, true);
		}
		return outcome;
	}

	private use(token: IssuedToken, isOwn: boolean): void {
		this.newest = token;
		this.isOwn = isOwn;
		this.witness = undefined;
	}

	/** Whether exchanging the newest token may help a request that was rejected with it. */
	private mayHelp(rejected: Signature, now: number): boolean {
		if (!this.isOwn || now - rejected.token.issuedAt >= SETTLED_AGE_MS) return true;

		const answerTime = now - rejected.signedAt;
		const isProven =
			this.witness !== undefined &&
			now - this.witness.signedAt >= Math.max(PROVEN_AFTER_MS, 3 * answerTime);
		this.youngRenewals = this.youngRenewals.filter((at) => now - at < SETTLED_AGE_MS);
		if (!isProven || this.youngRenewals.length >= MAX_YOUNG_RENEWALS) return false;
		this.youngRenewals.push(now);
		return true;
	}
}
