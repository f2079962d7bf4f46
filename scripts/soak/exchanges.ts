import { expectedEnd, hasEnded } from '../../credentials/token/issuedToken';
import type { Login } from './logins';

/** Why a token request was due, by the rules of docs/token.md. */
const CAUSES = ['no token', 'ended', 'rejected', 'again', 'after a failure'] as const;

export type Cause = (typeof CAUSES)[number];

/** A request for a site that was answered with 401 or 403. */
export interface Rejection {
	at: number;
	token: string;
}

/** What is known of the token requests of a soak. */
export interface ExchangeFindings {
	/** Token requests by their cause. */
	causes: Record<Cause, number>;
	/** Token requests for which there was none. */
	unexplained: Login[];
	/** The most tokens that one account was issued within half a minute. */
	mostInHalfAMinute: number;
}

/** A service that rejects even new tokens is asked for one at first, and four more times. */
export const MOST_IN_HALF_A_MINUTE = 6;

const MAX_TRIES = 4;
const TRIES_MS = 20_000;
const HALF_A_MINUTE_MS = 30_000;

/** Finds the cause of each token request. Each password is an account of its own. */
export function explainExchanges(
	logins: readonly Login[],
	rejections: readonly Rejection[],
): ExchangeFindings {
	const causes = Object.fromEntries(CAUSES.map((cause) => [cause, 0])) as Record<Cause, number>;
	const unexplained: Login[] = [];
	const rejectedAt = firstRejections(rejections);
	const passwords = [...new Set(logins.map(({ password }) => password))];
	const accounts = passwords.map((password) =>
		logins.filter((login) => login.password === password),
	);
	for (const account of accounts) {
		let state: AccountState = { kind: 'none' };
		for (const login of account) {
			const cause = causeOf(login, state, rejectedAt);
			if (cause) causes[cause] += 1;
			else unexplained.push(login);
			state = stateAfter(login, state, cause);
		}
	}
	const peaks = accounts.map((account) =>
		mostWithin(
			HALF_A_MINUTE_MS,
			account.filter(({ token }) => token !== undefined).map(({ at }) => at),
		),
	);
	return { causes, unexplained, mostInHalfAMinute: Math.max(0, ...peaks) };
}

type AccountState =
	| { kind: 'none' }
	| { kind: 'token'; value: string; issuedAt: number }
	| { kind: 'failed'; tries: number; firstAt: number; login: Login };

function causeOf(
	{ at }: Login,
	state: AccountState,
	rejectedAt: ReadonlyMap<string, number>,
): Cause | undefined {
	if (state.kind === 'none') return 'no token';
	if (state.kind === 'token') {
		const { value, issuedAt } = state;
		const endsAt = expectedEnd({ access_token: value }, issuedAt);
		if (hasEnded({ value, issuedAt, endsAt }, at)) return 'ended';
		return (rejectedAt.get(value) ?? Infinity) <= at ? 'rejected' : undefined;
	}
	const { tries, firstAt, login } = state;
	const { isPassing, pauseMs } = login.failure ?? { isPassing: false, pauseMs: 0 };
	if (isPassing && tries < MAX_TRIES && at - firstAt <= TRIES_MS) return 'again';
	return at - login.at >= pauseMs ? 'after a failure' : undefined;
}

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

function firstRejections(rejections: readonly Rejection[]): Map<string, number> {
	const first = new Map<string, number>();
	for (const { token, at } of rejections) {
		first.set(token, Math.min(at, first.get(token) ?? Infinity));
	}
	return first;
}

/** The most of the times, which are in order, that lie within one span of that length. */
function mostWithin(span: number, times: readonly number[]): number {
	return Math.max(
		0,
		...times.map((from, index) => times.slice(index).filter((at) => at < from + span).length),
	);
}
