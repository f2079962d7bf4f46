import type { Failure } from '../service/failures';
import { unlessAborted } from '../service/retry';
import { SECOND_MS } from '../messages/duration';
import { systemClock, type Clock } from './clock';
import { pauseAfterFailure, pauseAfterRefusals, RejectionLogins } from './reauthBackoff';

/** A token with what is known about it. Times are milliseconds since 1970 by this machine's clock. */
export interface IssuedToken {
	value: string;
	issuedAt: number;
	/** When it is likely to expire; absent if that is not known. */
	endsAt?: number | undefined;
}

/** Why there is no token. */
export interface LoginFailure extends Failure {
	/** Whether the service has refused username and password, so that trying them again could lock the account. */
	loginRefused?: boolean;
}

/** The result of an exchange of username and password. */
export type LoginOutcome =
	| { token: IssuedToken; failure?: never }
	| { token?: never; failure: LoginFailure };

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

	private loginsForDocuments = new RejectionLogins();

	/** For HTTP Request nodes, whose requests may have failed for any other reason. */
	private loginsForOthers = new RejectionLogins();

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
		if (wasGivenUp && outcome?.failure?.unasked) {
			return await this.logIn(exchange, { signal, isTest });
		}
		return outcome && { ...outcome, isOwn };
	}

	/** The service has accepted what was asked for again, with another token: the login has helped. */
	noteHelped(): void {
		this.loginsForDocuments.noteHelped();
	}

	/**
	 * The service has rejected a token for a document.
	 *
	 * @returns how long to wait before it is asked for again, with another token, in milliseconds; undefined if that is
	 *   useless.
	 */
	reject({ value }: IssuedToken): number | undefined {
		if (value !== this.current?.value || this.giveUp(this.loginsForDocuments)) return 0;
		return this.loginsForDocuments.delayMs(this.clock.now());
	}

	/** A request of an HTTP Request node has failed. @returns whether to send it again, with another token. */
	isWorthReplacing({ value }: IssuedToken): boolean {
		return value !== this.current?.value || this.giveUp(this.loginsForOthers);
	}

	/** A person has tested the credential: nothing before counts, and n8n's own login may have ended the session. */
	noteCredentialTest(): void {
		this.isGivenUp = true;
		this.loginsForDocuments = new RejectionLogins();
		this.loginsForOthers = new RejectionLogins();
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

	/** @returns whether the newest token is given up, so that a login follows. */
	private giveUp(logins: RejectionLogins): boolean {
		if (!logins.tryBegin(this.clock.now())) return false;
		this.isGivenUp = true;
		return true;
	}

	private note(outcome: LoginOutcome): LoginOutcome {
		const { token, failure } = outcome;
		if (token) {
			this.lastFailure = undefined;
			this.use(token);
		} else if (!failure.unasked) {
			const { retryAt: earlier = -Infinity, refusals: before = 0 } = this.lastFailure ?? {};
			const refusals = before + (failure.loginRefused ? 1 : 0);
			const pauseMs = failure.loginRefused
				? pauseAfterRefusals(refusals)
				: pauseAfterFailure(failure.waitMs);
			const retryAt = this.clock.now() + pauseMs;
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
