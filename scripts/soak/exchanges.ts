import { expectedEnd } from '../../credentials/token/expectedEnd';
import { hasEnded } from '../../shared/account/issuedToken';
import type { Login } from './logins';

/** Why a token request was due, by the rules of docs/token.md. */
const CAUSES = ['no token', 'ended', 'rejected', 'again', 'after a failure'] as const;

export type Cause = (typeof CAUSES)[number];

/** A request for a document, whose token the service has accepted or rejected. */
export interface TokenUse {
	at: number;
	token: string;
	/** Names what was asked for. */
	document: string;
	isAccepted: boolean;
}

/** What is known of the token requests of a soak. */
export interface ExchangeFindings {
	/** Token requests by their cause. */
	causes: Record<Cause, number>;
	/** Token requests for which there was none. */
	unexplained: Login[];
}

const MAX_TRIES = 4;
const TRIES_MS = 60_000;
/** At most so many tokens are obtained in half a minute because tokens are rejected. */
const MAX_RECENT_TOKENS = 4;
const RECENT_MS = 30_000;
/** The service receives a request some time before n8n reads the answer. */
const SLACK_MS = 2_000;

/** What came of the tokens of a soak. Each password is an account of its own. */
export class TokenHistory {
	private readonly passwords = new Map<string | undefined, string>();

	private readonly usesOf = new Map<string, TokenUse[]>();

	private readonly firstAcceptedAt = new Map<string, number>();

	private readonly rejections: TokenUse[];

	/**
	 * @param logins in the order in which they were received.
	 * @param uses likewise.
	 */
	constructor(
		private readonly logins: readonly Login[],
		uses: readonly TokenUse[],
	) {
		for (const { token, password } of logins) this.passwords.set(token, password);
		for (const use of uses) {
			const { token, document, at, isAccepted } = use;
			const others = this.usesOf.get(document);
			if (others) others.push(use);
			else this.usesOf.set(document, [use]);
			if (isAccepted && !this.firstAcceptedAt.has(token)) this.firstAcceptedAt.set(token, at);
		}
		this.rejections = uses.filter(({ isAccepted }) => !isAccepted);
	}

	/** Finds the cause of each token request. */
	explain(): ExchangeFindings {
		const causes = Object.fromEntries(CAUSES.map((cause) => [cause, 0])) as Record<Cause, number>;
		const unexplained: Login[] = [];
		const states = new Map<string, AccountState>();
		for (const login of this.logins) {
			const state = states.get(login.password) ?? { kind: 'none' };
			const cause = this.causeOf(login, state);
			if (cause) causes[cause] += 1;
			else unexplained.push(login);
			states.set(login.password, stateAfter(login, state, cause));
		}
		return { causes, unexplained };
	}

	/** Whether the node may leave it at a rejection, instead of asking with another token. */
	mayStand(rejection: TokenUse): boolean {
		const { token, at } = rejection;
		const recent = this.tokensBetween(
			at - RECENT_MS - SLACK_MS,
			at + SLACK_MS,
			this.passwords.get(token),
		);
		return this.isRepeated(rejection) || recent >= MAX_RECENT_TOKENS;
	}

	private causeOf({ at, password }: Login, state: AccountState): Cause | undefined {
		if (state.kind === 'none') return 'no token';
		if (state.kind === 'token') {
			const { value, issuedAt } = state;
			const endsAt = expectedEnd({ access_token: value }, issuedAt);
			if (hasEnded({ value, issuedAt, endsAt }, at)) return 'ended';
			const recent = this.tokensBetween(at - RECENT_MS, at, password);
			return recent < MAX_RECENT_TOKENS && this.isRejected(value, at) ? 'rejected' : undefined;
		}
		const { tries, firstAt, login } = state;
		const { isPassing, pauseMs } = login.failure ?? { isPassing: false, pauseMs: 0 };
		if (isPassing && tries < MAX_TRIES && at - firstAt <= TRIES_MS) return 'again';
		return at - login.at >= pauseMs ? 'after a failure' : undefined;
	}

	/** Whether a token was rejected by then, and not only for documents that another one is of no use for. */
	private isRejected(token: string, until: number): boolean {
		const acceptedAt = this.firstAcceptedAt.get(token) ?? Infinity;
		return this.rejections.some(
			(rejection) =>
				rejection.token === token &&
				rejection.at <= until &&
				!(acceptedAt < rejection.at && this.isRepeated(rejection)),
		);
	}

	/** Whether the document was rejected with another token of the account before, and not read since. */
	private isRepeated(rejection: TokenUse): boolean {
		const uses = this.usesOf.get(rejection.document) ?? [];
		const account = this.passwords.get(rejection.token);
		for (let index = uses.indexOf(rejection) - 1; index >= 0; index -= 1) {
			const { isAccepted, token } = uses[index] as TokenUse;
			if (isAccepted) return false;
			if (token !== rejection.token && this.passwords.get(token) === account) return true;
		}
		return false;
	}

	private tokensBetween(from: number, until: number, account: string | undefined): number {
		return this.logins.filter(
			({ at, token, password }) =>
				token !== undefined && password === account && at > from && at < until,
		).length;
	}
}

type AccountState =
	| { kind: 'none' }
	| { kind: 'token'; value: string; issuedAt: number }
	| { kind: 'failed'; tries: number; firstAt: number; login: Login };

function stateAfter(login: Login, state: AccountState, cause: Cause | undefined): AccountState {
	const { at, token } = login;
	if (token !== undefined) return { kind: 'token', value: token, issuedAt: at };
	const isAgain = state.kind === 'failed' && cause === 'again';
	return {
		kind: 'failed',
		tries: isAgain ? state.tries + 1 : 1,
		firstAt: isAgain ? state.firstAt : at,
		login,
	};
}
