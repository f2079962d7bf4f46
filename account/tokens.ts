import { unlessAborted } from '../service/retry';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../texts/duration';
import type { FailureText } from '../texts/messages';
import { systemClock, type Clock } from './clock';

/** A token with what is known about it. Times are milliseconds since 1970 by this machine's clock. */
export interface IssuedToken {
	value: string;
	issuedAt: number;
	/** When it is likely to expire; absent if that is not known. */
	endsAt?: number | undefined;
}

/** Why there is no token. */
export interface LoginFailure extends FailureText {
	/** Whether the service has refused username and password, so that trying them again could lock the account. */
	loginRefused?: boolean;
	/** Whether the service was not asked, so that the next request may try at once. */
	isUnasked?: boolean;
	/** Whether the same exchange may succeed a little later. */
	retryable?: boolean;
	/** How long the service asks to wait, in milliseconds, if it does. */
	waitMs?: number | undefined;
}

/** The result of an exchange of username and password. */
export type LoginOutcome =
	| { token: IssuedToken; failure?: never }
	| { token?: never; failure: LoginFailure };

/** No login for so long after a refused one: repeating it could lock the account. It doubles each time. */
const REFUSED_MS = { first: 30 * SECOND_MS, longest: HOUR_MS };
/** No login for so long after any other failure: it would be repeated for every item. The service may ask for longer. */
const FAILED_MS = { first: 5 * SECOND_MS, longest: 5 * MINUTE_MS };
/** A login for a rejected request comes so long after the last one. It doubles as long as such logins do not help. */
const REJECTED_MS = { first: 30 * SECOND_MS, longest: 30 * MINUTE_MS };

/** When the next login may be made because of rejections, and how long after it the one after that. */
interface Backoff {
	nextAt: number;
	pauseMs: number;
}

const NOTHING_REJECTED: Backoff = { nextAt: -Infinity, pauseMs: REJECTED_MS.first };

/** A login that is under way. */
interface Login {
	outcome: Promise<LoginOutcome>;
	/** How many wait for it; without anybody, it is not sent. */
	waiting: number;
	stop: AbortController;
}

/**
 * The tokens of one way to log in, in this process.
 *
 * Requests use the newest token until it ends or is given up; then one login, for everybody, obtains another one. Is it the
 * token or the document that the service rejects with 401? Nobody knows, so the token is given up, and the document is asked
 * for with another one. Such logins come half a minute apart, and twice as far each time as long as they do not help.
 */
export class Tokens {
	private newest: IssuedToken | undefined;

	/** Whether the newest one is not used any more. It is kept since the credential may still hold it. */
	private isGivenUp = false;

	private login: Login | undefined;

	private lastFailure: { failure: LoginFailure; retryAt: number; refusals: number } | undefined;

	private forDocuments: Backoff = NOTHING_REJECTED;

	/** For HTTP Request nodes, whose requests may have failed for any other reason. */
	private forOthers: Backoff = NOTHING_REJECTED;

	constructor(private readonly clock: Clock = systemClock) {}

	/**
	 * The token for a request: the newer of the stored one, which may come from another process, and the one known here.
	 *
	 * @returns undefined if there is none that can be used.
	 */
	choose(stored: IssuedToken | undefined): IssuedToken | undefined {
		if (stored && this.isNewer(stored)) this.use(stored);
		return this.current;
	}

	/**
	 * Logs in, or waits for the login that is under way, unless one has failed a moment ago.
	 *
	 * @param isTest whether a person tests the credential, so that a failure before does not count.
	 * @returns undefined if the wait was ended; otherwise also whether the login is this call's own.
	 */
	async logIn(
		exchange: (stop: AbortSignal) => Promise<LoginOutcome>,
		{ signal, isTest = false }: { signal?: AbortSignal | undefined; isTest?: boolean } = {},
	): Promise<(LoginOutcome & { isOwn: boolean }) | undefined> {
		const { lastFailure } = this;
		const isOwn = !this.login;
		if (isOwn && !isTest && lastFailure && this.clock.now() < lastFailure.retryAt) {
			return { failure: lastFailure.failure, isOwn: false };
		}
		const login = (this.login ??= this.begin(exchange));
		login.waiting += 1;
		const outcome = await unlessAborted(login.outcome, signal);
		const wasGivenUp = login.stop.signal.aborted;
		login.waiting -= 1;
		if (login.waiting === 0) login.stop.abort();
		// By those who waited before.
		if (wasGivenUp && outcome?.failure?.isUnasked) {
			return await this.logIn(exchange, { signal, isTest });
		}
		return outcome && { ...outcome, isOwn };
	}

	/** The service has accepted what was asked for again, with another token: the login has helped. */
	noteHelped(): void {
		this.forDocuments = { ...this.forDocuments, pauseMs: REJECTED_MS.first };
	}

	/**
	 * The service has rejected a token for a document.
	 *
	 * @returns how long to wait before it is asked for again, with another token, in milliseconds; undefined if that is
	 *   useless.
	 */
	reject({ value }: IssuedToken): number | undefined {
		if (value !== this.current?.value || this.giveUp('forDocuments')) return 0;
		const { nextAt, pauseMs } = this.forDocuments;
		// The last login has helped, so the next one may as well.
		return pauseMs === REJECTED_MS.first ? nextAt - this.clock.now() : undefined;
	}

	/** A request of an HTTP Request node has failed. @returns whether to send it again, with another token. */
	isWorthReplacing({ value }: IssuedToken): boolean {
		return value !== this.current?.value || this.giveUp('forOthers');
	}

	/** A person has tested the credential: nothing before counts, and n8n's own login may have ended the session. */
	noteCredentialTest(): void {
		this.isGivenUp = true;
		this.forDocuments = NOTHING_REJECTED;
		this.forOthers = NOTHING_REJECTED;
	}

	private get current(): IssuedToken | undefined {
		const { newest } = this;
		return newest && !this.isGivenUp && !hasEnded(newest) ? newest : undefined;
	}

	private begin(exchange: (stop: AbortSignal) => Promise<LoginOutcome>): Login {
		const stop = new AbortController();
		const outcome = exchange(stop.signal)
			.then((reached) => this.note(reached))
			.finally(() => {
				this.login = undefined;
			});
		return { outcome, waiting: 0, stop };
	}

	/** @returns false if it is too early to log in again. */
	private giveUp(cause: 'forDocuments' | 'forOthers'): boolean {
		const now = this.clock.now();
		const { nextAt, pauseMs } = this[cause];
		if (now < nextAt) return false;
		// Nothing was rejected for as long as the last pause.
		const nextMs = now > nextAt + pauseMs ? REJECTED_MS.first : pauseMs;
		this.isGivenUp = true;
		this[cause] = { nextAt: now + nextMs, pauseMs: Math.min(REJECTED_MS.longest, 2 * nextMs) };
		return true;
	}

	private note(outcome: LoginOutcome): LoginOutcome {
		const { token, failure } = outcome;
		if (token) {
			this.lastFailure = undefined;
			this.use(token);
		} else if (!failure.isUnasked) {
			const { retryAt: earlier = -Infinity, refusals: before = 0 } = this.lastFailure ?? {};
			const refusals = before + (failure.loginRefused ? 1 : 0);
			const retryAt = this.clock.now() + retryDelayMs(failure, refusals);
			// A credential test may fail for another reason soon after a refusal; the refusal then still applies.
			if (retryAt >= earlier) this.lastFailure = { failure, retryAt, refusals };
		}
		return outcome;
	}

	private isNewer(stored: IssuedToken): boolean {
		if (hasEnded(stored)) return false;
		if (!this.newest) return true;
		// A token issued in the future was issued before the clock was set back, so any other token is newer.
		const timeOf = ({ issuedAt }: IssuedToken) => (issuedAt <= Date.now() ? issuedAt : -Infinity);
		return timeOf(stored) > timeOf(this.newest);
	}

	private use(token: IssuedToken): void {
		this.newest = token;
		this.isGivenUp = false;
	}
}

/** Whether a token has expired, or would expire before the request arrives. */
function hasEnded({ issuedAt, endsAt = Infinity }: IssuedToken): boolean {
	const LONGEST_MARGIN_MS = 10 * SECOND_MS;
	return Date.now() >= endsAt - Math.min(LONGEST_MARGIN_MS, (endsAt - issuedAt) / 10);
}

function retryDelayMs({ loginRefused, waitMs = 0 }: LoginFailure, refusals: number): number {
	if (!loginRefused) return Math.min(FAILED_MS.longest, Math.max(FAILED_MS.first, waitMs));
	return Math.min(REFUSED_MS.longest, REFUSED_MS.first * 2 ** (refusals - 1));
}
