import type { ExchangeFailure, ExchangeOutcome } from './exchange';
import { hasEnded, type IssuedToken } from './issuedToken';

const MINUTE_MS = 60_000;
/** How long a refused login is remembered, so that no account is locked by repeating it. */
const REFUSAL_PAUSE_MS = 30_000;
/** How long any other failed exchange is remembered at least, so that it is not repeated for every item. */
const FAILURE_PAUSE_MS = 5_000;
/** The longest wait that a service may ask for by `Retry-After`. */
const LONGEST_PAUSE_MS = 5 * MINUTE_MS;

/** How many exchanges in a row are made at once although none of their tokens is accepted. */
const MAX_FRUITLESS = 2;
/** How long the next one waits; twice as long each time. */
const FRUITLESS_PAUSE_MS = 30_000;
const LONGEST_FRUITLESS_PAUSE_MS = 30 * MINUTE_MS;

/** At most so many exchanges are made in {@link RECENT_MS}: a service may keep one session per account. */
const MAX_RECENT_EXCHANGES = 4;
const RECENT_MS = 30_000;

/** For so long a document that is rejected with any token costs no exchange. */
const HOPELESS_MS = 60 * MINUTE_MS;
const MAX_DOCUMENTS = 1000;
const MAX_DEAD_TOKENS = 20;

/** The token in use. */
interface KnownToken {
	token: IssuedToken;
	/** Whether the service has accepted it. */
	isAccepted: boolean;
	/** Documents that were rejected with the token before it. */
	rejectedBefore: Set<string>;
}

/**
 * The tokens of one account in this process.
 *
 *             exchange                    missing, ended or rejected
 *   nothing ───────────▶ newest token ────────────────────────────────▶ exchange, shared by all who need one
 *      │                      │
 *      │ refused, failed      │ an exchange would not help
 *      ▼                      ▼
 *   pause: the failure     the rejection stands
 *   is repeated without
 *   a request
 *
 * An exchange would not help a document that is rejected again with the token that was obtained for it, nor where tokens
 * are never accepted. Times are those of a clock that nobody sets, in milliseconds.
 */
export class TokenKeeper {
	private newest: KnownToken | undefined;

	/** Documents that wait for a token because the last one was rejected for them. */
	private rejected = new Set<string>();

	/** Documents that are rejected with any token, and since when that is known. */
	private readonly hopeless = new Map<string, number>();

	/** Values that were rejected, or in whose place there is another; executions and other processes may still hold them. */
	private readonly dead: string[] = [];

	/** How many exchanges in a row have brought a token that was never accepted. */
	private fruitless = 0;

	private recentExchanges: number[] = [];

	/** When a token was obtained because a request of another node had failed. */
	private replacedAt = -Infinity;

	private underWay: Promise<ExchangeOutcome> | undefined;

	private pause: { failure: ExchangeFailure; endsAt: number } | undefined;

	/** @param timeOfDay gives milliseconds since 1970, by which tokens end. */
	constructor(
		private readonly clock: () => number = () => performance.now(),
		private readonly timeOfDay: () => number = Date.now,
	) {}

	/**
	 * Chooses the token for a request: the younger of the stored one, which may stem from another process, and the newest
	 * known here. Undefined where both are missing or have ended, so that one must be obtained first; after too many
	 * exchanges, what is said of its end is not believed.
	 */
	choose(stored: IssuedToken | undefined): IssuedToken | undefined {
		if (stored && this.isNews(stored)) this.use(stored);
		const isFrequent = this.countRecent(this.clock()) >= MAX_RECENT_EXCHANGES;
		return isFrequent ? this.newest?.token : this.current();
	}

	/** Takes note that the service has accepted a token for a document. */
	accept({ value }: IssuedToken, document: string): void {
		this.hopeless.delete(document);
		const { newest } = this;
		if (newest?.token.value !== value) return;
		newest.isAccepted = true;
		newest.rejectedBefore.delete(document);
		this.fruitless = 0;
	}

	/**
	 * Takes note that the service has rejected a token for a document.
	 *
	 * @returns whether the document is worth asking for again: there is another token, or one is worth obtaining.
	 */
	reject({ value }: IssuedToken, document: string): boolean {
		const now = this.clock();
		const { newest } = this;
		if (newest?.token.value !== value) {
			remember(newest?.rejectedBefore ?? this.rejected, document);
			return true;
		}
		if (!this.isWorthExchanging(newest, document, now)) return false;
		this.bury(value);
		this.rejected = new Set([document]);
		this.newest = undefined;
		return true;
	}

	/**
	 * A token for a request that has none.
	 *
	 * @param isTest whether username and password are to be proven now, whatever is known.
	 */
	async renew(isTest: boolean, exchange: () => Promise<ExchangeOutcome>): Promise<ExchangeOutcome> {
		if (this.underWay) return await this.underWay;
		if (!isTest) {
			const token = this.current();
			if (token) return { token };
			const failure = this.rememberedFailure();
			if (failure) return { failure };
		}
		return await this.obtain(exchange, !isTest);
	}

	/**
	 * A token for a request of another node that has failed, perhaps for another reason than its token.
	 *
	 * @param carried the token that it was sent with.
	 * @returns undefined where there is no other token, and none is to be obtained so soon after the last one.
	 */
	async replace(
		carried: IssuedToken,
		exchange: () => Promise<ExchangeOutcome>,
	): Promise<ExchangeOutcome | undefined> {
		const outcome = await this.replacement(carried, exchange);
		// Some services answer a login with the token that they have issued before.
		return outcome?.token?.value === carried.value ? undefined : outcome;
	}

	/** Takes note of a credential test, after which nothing is known of the token: a service may keep but one. */
	noteTest(): void {
		this.fruitless = 0;
		this.recentExchanges = [];
		this.hopeless.clear();
		if (this.newest) this.use(this.newest.token);
	}

	private async replacement(
		carried: IssuedToken,
		exchange: () => Promise<ExchangeOutcome>,
	): Promise<ExchangeOutcome | undefined> {
		if (this.underWay) return await this.underWay;
		const token = this.current();
		if (token && token.value !== carried.value) return { token };
		const failure = this.rememberedFailure();
		if (failure) return { failure };
		const now = this.clock();
		if (now - this.replacedAt < RECENT_MS) return undefined;
		if (this.countRecent(now) >= MAX_RECENT_EXCHANGES) return undefined;
		this.replacedAt = now;
		return await this.obtain(exchange, false);
	}

	/** @param counts whether it counts if the token is never accepted. */
	private async obtain(
		exchange: () => Promise<ExchangeOutcome>,
		counts: boolean,
	): Promise<ExchangeOutcome> {
		this.underWay = this.exchangeNow(exchange, counts);
		try {
			return await this.underWay;
		} finally {
			this.underWay = undefined;
		}
	}

	private async exchangeNow(
		exchange: () => Promise<ExchangeOutcome>,
		counts: boolean,
	): Promise<ExchangeOutcome> {
		const outcome = await exchange();
		const now = this.clock();
		if (outcome.failure) {
			const pause = { failure: outcome.failure, endsAt: now + pauseAfter(outcome.failure) };
			// A credential test may fail for another reason within the pause after a refusal.
			if (!this.pause || pause.endsAt >= this.pause.endsAt) this.pause = pause;
		} else if (outcome.token) {
			this.pause = undefined;
			this.recentExchanges.push(now);
			if (counts) this.fruitless += 1;
			this.use(outcome.token);
		}
		return outcome;
	}

	/** The failure of the last exchange, as long as it is not to be repeated. */
	private rememberedFailure(): ExchangeFailure | undefined {
		return this.pause && this.clock() < this.pause.endsAt ? this.pause.failure : undefined;
	}

	private isWorthExchanging(newest: KnownToken, document: string, now: number): boolean {
		const hopelessSince = this.hopeless.get(document);
		if (hopelessSince !== undefined) {
			if (now - hopelessSince < HOPELESS_MS) return false;
			this.hopeless.delete(document);
			newest.rejectedBefore.delete(document);
		}
		if (!newest.isAccepted) {
			// It may be the token that is of no use, and not the document.
			if (now < this.fruitlessUntil()) return false;
		} else if (newest.rejectedBefore.has(document)) {
			this.giveUp(document, now);
			return false;
		}
		return this.countRecent(now) < MAX_RECENT_EXCHANGES;
	}

	private giveUp(document: string, now: number): void {
		this.hopeless.set(document, now);
		const [oldest] = this.hopeless.keys();
		if (this.hopeless.size > MAX_DOCUMENTS && oldest !== undefined) this.hopeless.delete(oldest);
	}

	/** Until when no exchange is made because those before have been of no use. */
	private fruitlessUntil(): number {
		const excess = this.fruitless - MAX_FRUITLESS;
		const lastAt = this.recentExchanges.at(-1);
		if (excess < 0 || lastAt === undefined) return -Infinity;
		return lastAt + Math.min(LONGEST_FRUITLESS_PAUSE_MS, FRUITLESS_PAUSE_MS * 2 ** excess);
	}

	private countRecent(now: number): number {
		return this.recentExchanges.filter((at) => now - at < RECENT_MS).length;
	}

	private current(): IssuedToken | undefined {
		const token = this.newest?.token;
		return token && !hasEnded(token, this.timeOfDay()) ? token : undefined;
	}

	private isNews(stored: IssuedToken): boolean {
		const now = this.timeOfDay();
		if (hasEnded(stored, now) || this.dead.includes(stored.value)) return false;
		const known = this.newest?.token;
		if (!known) return true;
		// A time in the future is that of a clock that was set back since: such a token is as old as can be.
		const timeOf = ({ issuedAt }: IssuedToken) => (issuedAt <= now ? issuedAt : -Infinity);
		return timeOf(stored) > timeOf(known);
	}

	private use(token: IssuedToken): void {
		const before = this.newest?.token.value;
		if (before !== undefined && before !== token.value) this.bury(before);
		this.newest = { token, isAccepted: false, rejectedBefore: this.rejected };
		this.rejected = new Set();
		this.recentExchanges = this.recentExchanges.slice(-MAX_RECENT_EXCHANGES);
	}

	private bury(value: string): void {
		this.dead.push(value);
		this.dead.splice(0, this.dead.length - MAX_DEAD_TOKENS);
	}
}

function remember(documents: Set<string>, document: string): void {
	if (documents.size < MAX_DOCUMENTS) documents.add(document);
}

function pauseAfter({ refused, waitMs = 0 }: ExchangeFailure): number {
	if (refused) return REFUSAL_PAUSE_MS;
	return Math.min(LONGEST_PAUSE_MS, Math.max(FAILURE_PAUSE_MS, waitMs));
}
