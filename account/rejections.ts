import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../texts/duration';

/** What follows from a rejection. */
export type Verdict =
	/** The document is asked for again: there is another token, or a login is made. */
	| 'again'
	/** The rejection is about the document, or no login is made for it now. */
	| 'final'
	/** The same, after logins that helped again and again: something else keeps ending the session. */
	| 'sessionEnded';

/** A document that was rejected. */
interface RejectedDocument {
	/** The first token that it was rejected with. */
	token: string;
	at: number;
}

/** Why a login was made. */
export type LoginReason =
	/** There was no token, or it had expired. */
	| 'no token'
	/** The token was given up. */
	| 'rejected'
	/** A request of an HTTP Request node has failed, perhaps for another reason than its token. */
	| 'other node';

/** A login that has brought a token. */
interface PastLogin {
	at: number;
	token: string;
	reason: LoginReason;
	hasHelped: boolean;
}

/** When the newest token was last accepted. */
interface Acceptance {
	token: string;
	at: number;
	/** How many rejections in a row have followed that may be about the token. */
	rejections: number;
}

/** For how long a rejected document is remembered. */
const REMEMBERED_MS = HOUR_MS;
/** Beyond so many rejected documents all are forgotten, which costs logins but no data. */
const MAX_DOCUMENTS = 1000;

/** A service may keep one session per account: two processes would end each other's again and again. */
const MAX_LOGINS_AT_ONCE = 4;
const AT_ONCE_MS = 30 * SECOND_MS;

/** After two logins in a row that did not help, the next one is delayed, each time for twice as long. */
const LOGINS_BEFORE_BACKOFF = 2;
const BACKOFF_MS = 30 * SECOND_MS;
const LONGEST_BACKOFF_MS = 30 * MINUTE_MS;
/** As many as it takes to reach the longest back-off. */
const MAX_LOGINS = 10;

/**
 * A token that was accepted has probably ended after five rejections in a row, a number that follows the pace of the
 * account, or after two minutes in which nothing was accepted. Simulated at 5 to 100 requests a minute with a third of 300
 * documents forbidden at random: three in a row cost 8 to 16 logins, five 5 to 10.
 */
const SILENT_REJECTIONS = 5;
const SILENT_MS = 2 * MINUTE_MS;

/** After two logins within five minutes that have helped rejected documents, something else keeps ending the session. */
const ENDED_SESSIONS = 2;
const ENDED_SESSIONS_MS = 5 * MINUTE_MS;

/**
 * Is it the token or the document that the service rejects? A login tells: it *has helped* once a document that was rejected
 * before is accepted with its token. One that was made because there was no token has helped once anything is accepted.
 *
 * What follows when a document is rejected; the first line that applies decides:
 *
 *   with a token that is not the newest, or was given up     again, with the newest one
 *   with a second token, which is accepted for others        final: the document is forbidden
 *   after four logins in half a minute                       final: the session may have ended, but logins do not help
 *   in the back-off after logins that did not help,
 *     unless the newest token is silent                      final: the document is probably forbidden
 *   otherwise                                                again, after a login: the session may have ended
 *
 * Times are milliseconds of a monotonic clock.
 */
export class Rejections {
	private readonly documents = new Map<string, RejectedDocument>();

	private logins: PastLogin[] = [];

	private accepted: Acceptance | undefined;

	constructor(private readonly clock: () => number) {}

	/** Whether so many logins were just made that no more are for now. */
	get areLoginsFrequent(): boolean {
		const now = this.clock();
		const recent = this.logins.filter(({ at }) => now - at < AT_ONCE_MS);
		return recent.length >= MAX_LOGINS_AT_ONCE;
	}

	noteLogin(token: string, reason: LoginReason): void {
		this.logins.push({ at: this.clock(), token, reason, hasHelped: false });
		this.logins.splice(0, this.logins.length - MAX_LOGINS);
	}

	/**
	 * Records that the service has accepted a token for a document.
	 *
	 * @param newest the newest token.
	 */
	accept(token: string, path: string, newest: string | undefined): void {
		const wasRejected = this.documents.delete(path);
		if (token !== newest) return;
		this.accepted = { token, at: this.clock(), rejections: 0 };
		for (const login of this.logins) {
			if (login.reason === 'no token') login.hasHelped = true;
			if (login.token === token && wasRejected) login.hasHelped = true;
		}
	}

	/**
	 * Records that the service has rejected a token for a document.
	 *
	 * @param newest the newest token; undefined if it was given up.
	 * @returns 'again' for the newest token if it is to be given up.
	 */
	reject(token: string, path: string, newest: string | undefined): Verdict {
		const first = this.note(token, path);
		if (token !== newest) return 'again';
		const final = this.areSessionsEnded ? 'sessionEnded' : 'final';
		const isAccepted = this.accepted?.token === token;
		if (isAccepted && first !== token) return final;
		if (this.accepted) this.accepted.rejections += 1;
		if (this.areLoginsFrequent) return final;
		const isSilent = isAccepted && this.isSilent;
		return this.clock() < this.backoffUntil && !isSilent ? final : 'again';
	}

	/** Forgets everything: a person has tested the credential. */
	forget(): void {
		this.documents.clear();
		this.logins = [];
		this.accepted = undefined;
	}

	/** @returns the first token that the document was rejected with. */
	private note(token: string, path: string): string {
		const now = this.clock();
		const known = this.documents.get(path);
		if (known && now - known.at < REMEMBERED_MS) return known.token;
		if (this.documents.size >= MAX_DOCUMENTS) this.documents.clear();
		this.documents.set(path, { token, at: now });
		return token;
	}

	private get isSilent(): boolean {
		const { at = Infinity, rejections = 0 } = this.accepted ?? {};
		return rejections >= SILENT_REJECTIONS || this.clock() - at >= SILENT_MS;
	}

	private get backoffUntil(): number {
		const logins = this.logins.filter(({ reason }) => reason !== 'other node');
		const unhelpful = logins.length - 1 - logins.findLastIndex(({ hasHelped }) => hasHelped);
		const last = logins.at(-1);
		if (!last || unhelpful < LOGINS_BEFORE_BACKOFF) return -Infinity;
		const delayMs = BACKOFF_MS * 2 ** (unhelpful - LOGINS_BEFORE_BACKOFF);
		return last.at + Math.min(LONGEST_BACKOFF_MS, delayMs);
	}

	private get areSessionsEnded(): boolean {
		const now = this.clock();
		const ended = this.logins.filter(
			({ at, reason, hasHelped }) =>
				reason === 'rejected' && hasHelped && now - at < ENDED_SESSIONS_MS,
		);
		return ended.length >= ENDED_SESSIONS;
	}
}
