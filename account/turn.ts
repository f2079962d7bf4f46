import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { SECOND_MS } from '../texts/duration';
import { LOGIN, MESSAGES } from '../texts/messages';
import { unlessAborted } from '../service/unlessAborted';
import type { Budget, Entry } from './limit/budget';
import { limitOf } from './limit/plan';
import type { Place } from './limit/queue';
import type { Account } from './accounts';
import type { IssuedToken } from './issuedToken';
import { storedToken } from './storedToken';
import type { ExchangeFailure, ExchangeOutcome } from './tokenChoice';

/** What needs a place and a token. */
export interface TurnRequest {
	entry: Entry;
	/** Holds the token that n8n has stored. */
	credential: ICredentialDataDecryptedObject;
	/** The value of a token with which the request has failed. */
	unwanted?: string | undefined;
	/** Exchanges username and password for a token; left out if that is not possible now. */
	logIn?: (place: Place) => Promise<ExchangeOutcome>;
}

/** A place in the account's budget and a token. */
export interface TakenTurn {
	place: Place;
	token: IssuedToken;
}

/** A turn, or why there is none. */
export type Turn =
	| (TakenTurn & { missing?: never; failure?: never })
	/** The place would have come too late, or the wait was ended. */
	| { missing: 'place'; failure?: never }
	/** There is no token, and none can be obtained now. */
	| { missing: 'token'; failure?: ExchangeFailure };

/**
 * Waits until a request may be sent: for a place in the account's budget, then for a token. If there is none, the place
 * is used for a login, and the request enters again.
 */
export async function takeTurn(
	account: Account,
	{ entry, credential, unwanted, logIn }: TurnRequest,
): Promise<Turn> {
	const { budget, tokens } = account;
	let hasRenewed = false;
	for (;;) {
		if (tokens.renewal) {
			hasRenewed = true;
			const { late } = await waitForLogin(tokens.renewal, entry, budget);
			if (late) return { missing: 'token', failure: late };
		}
		const place = await budget.enter(entry);
		if (!place) return { missing: 'place' };
		if (entry.signal?.aborted) {
			budget.giveBack(place);
			return { missing: 'place' };
		}
		const token = tokens.choose(storedToken(account, credential), unwanted);
		if (token) return { place, token };

		const failure = tokens.currentFailure();
		// Some services answer a login with the token that they have issued before.
		const isPointless = unwanted !== undefined && hasRenewed;
		if (failure || tokens.renewal || isPointless || !logIn) budget.giveBack(place);
		if (failure) return { missing: 'token', failure };
		if (tokens.renewal) continue;
		if (isPointless || !logIn) return { missing: 'token' };
		hasRenewed = true;
		const login = tokens.renew(async () => await usingUp(place, budget, logIn));
		const { outcome, late } = await waitForLogin(login, entry, budget);
		const loginFailure = late ?? outcome?.failure;
		if (loginFailure) return { missing: 'token', failure: loginFailure };
	}
}

/** Logs in, and gives the place back if it was not used. */
async function usingUp(
	place: Place,
	budget: Budget,
	logIn: (place: Place) => Promise<ExchangeOutcome>,
): Promise<ExchangeOutcome> {
	try {
		return await logIn(place);
	} finally {
		budget.giveBack(place);
	}
}

/**
 * Waits for a login, which goes on for others, for as long as a request may wait.
 *
 * @returns neither an outcome nor a failure once the request is aborted.
 */
async function waitForLogin(
	login: Promise<ExchangeOutcome>,
	{ queue, endsAt = Infinity, signal }: Entry,
	{ clock }: Budget,
): Promise<{ outcome?: ExchangeOutcome | undefined; late?: ExchangeFailure }> {
	const now = clock.now();
	const leftMs = Math.ceil(Math.min(endsAt, queue.endsAt(now)) - now);
	const end = leftMs === Infinity ? undefined : AbortSignal.timeout(Math.max(0, leftMs));
	const outcome = await unlessAborted(login, signal, end);
	if (outcome || signal?.aborted) return { outcome };
	const seconds = Math.max(1, Math.round(leftMs / SECOND_MS));
	return { late: MESSAGES.limits.tookTooLong(LOGIN, seconds * SECOND_MS) };
}

/**
 * Takes the turn of a request once more, if its failure may be that of its token: nobody sees the answers to the requests
 * of other nodes.
 *
 * @param failed the turn that it was sent with.
 * @returns undefined if it is not worth sending again.
 */
export async function takeTurnAgain(
	account: Account,
	request: TurnRequest,
	{ place, token }: TakenTurn,
): Promise<Turn | undefined> {
	const { budget, tokens } = account;
	budget.fail(place);
	if (limitOf(budget).cause === 'stopped' || !tokens.isWorthReplacing(token)) return undefined;
	return await takeTurn(account, { ...request, unwanted: token.value });
}
