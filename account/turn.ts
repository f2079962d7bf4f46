import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { Entry } from './limit/budget';
import { limitOf } from './limit/plan';
import type { Place } from './limit/queue';
import type { Account } from './accounts';
import type { IssuedToken } from './issuedToken';
import { storedToken } from './storedToken';
import type { ExchangeFailure, ExchangeOutcome } from './tokenCache';

/** What needs a place and a token. */
export interface TurnRequest {
	entry: Entry;
	/** Holds the token that n8n has stored. */
	credential: ICredentialDataDecryptedObject;
	/** The value of a token that it is not to be sent with. */
	unwanted?: string | undefined;
	/** Exchanges username and password for a token; left out where that is not possible now. */
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
 * Waits until a request may be sent: for a place in the account's budget, then for a token. Where there is none, the place
 * is used for a login, and the request enters again.
 */
export async function takeTurn(
	account: Account,
	{ entry, credential, unwanted, logIn }: TurnRequest,
): Promise<Turn> {
	const { budget, tokens } = account;
	let hasRenewed = false;
	for (;;) {
		hasRenewed ||= tokens.renewal !== undefined;
		if (tokens.renewal) await unlessAborted(tokens.renewal, entry.signal);
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
		const login = tokens.renew(async () => await logIn(place));
		const outcome = await unlessAborted(login, entry.signal);
		if (outcome?.failure) return { missing: 'token', failure: outcome.failure };
	}
}

/**
 * Takes the turn of a request once more, where its failure may be that of its token: nobody sees the answers to the requests
 * of other nodes.
 *
 * @param failed the turn that it was sent with.
 * @returns undefined where it is not worth sending again.
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

/**
 * Waits for something that cannot be ended.
 *
 * @returns undefined once the signal is aborted.
 */
async function unlessAborted<T>(
	work: Promise<T> | undefined,
	signal?: AbortSignal,
): Promise<T | undefined> {
	if (!signal) return await work;
	if (signal.aborted) return undefined;
	return await new Promise<T | undefined>((resolve, reject) => {
		signal.addEventListener('abort', () => resolve(undefined), { once: true });
		Promise.resolve(work).then(resolve, reject);
	});
}
