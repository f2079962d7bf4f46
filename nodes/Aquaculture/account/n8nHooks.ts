import {
	UserError,
	type ICredentialDataDecryptedObject,
	type IHttpRequestHelper,
} from 'n8n-workflow';
import { abortedAfter } from '../service/retry';
import { MINUTE_MS } from '../messages/duration';
import { MESSAGES, type FailureText } from '../messages/messages';
import { accountOf, type Account } from './account';
import { ownAddress, signed, type RequestOptions } from './requestGuard';
import { isTest, logInForTest, signTest } from './credentialTest';
import { exchange } from './login';
import type { Entry, Place } from './rateLimiter';
import { NotSentError, tokenNeeded } from './notSent';
import { checkSettings } from './settings';
import { storedToken, toStoredFields, type StoredFields } from './storedToken';
import type { IssuedToken } from './tokenSource';

/**
 * A request on its way through n8n, which calls these two with the same credential object (n8n 1.123 and 2.40):
 *
 * 1. `preAuthentication` ({@link obtainToken}), if that object holds no token.
 * 2. `authenticate` ({@link signRequest}), which waits for a place in the account's limit and signs the request. If there is
 *    no token, it throws what looks to n8n like the answer 401.
 * 3. `preAuthentication` after that, and after a request of an HTTP Request node that has failed for any reason.
 * 4. `authenticate` again. A request of an HTTP Request node ends at 3, unless it was given a token there.
 */
export interface Turn {
	readonly account: Account;
	/** How it waits for its place. */
	readonly entry: Entry;
	/** Time from sending to the last byte of the answer; HTTP Request nodes have a timeout of their own. */
	readonly timeoutMs?: number;
	/** Whether n8n sends it again only if it is given a token: the helper of HTTP Request nodes. */
	readonly isOlderHelper?: boolean;
	/** With which it was sent. */
	place?: Place;
	token?: IssuedToken;
	/** Whether its token was given up before it was sent. */
	lacksToken?: boolean;
	/** Aborted when its time is over, or its execution is cancelled. */
	end?: AbortSignal | undefined;
	/** Why it was not sent. */
	failure?: FailureText & { noPlace?: boolean };
}

const turns = new WeakMap<ICredentialDataDecryptedObject, Turn>();

/** How long a request of an HTTP Request node may wait for its place. It cannot be cancelled while it waits. */
const LONGEST_WAIT_MS = 5 * MINUTE_MS;

/** Says whose request the next call of n8n's helper with this credential object is. */
export function prepare(credential: ICredentialDataDecryptedObject, turn: Turn): void {
	turns.set(credential, turn);
}

/**
 * n8n's `preAuthentication`.
 *
 * @returns the fields that n8n stores in the credential; none if another request has obtained the token, which is found
 *   in this process: n8n stores them by writing the whole credential back, which undoes an edit that is saved meanwhile.
 * @throws NotSentError when no token can be had.
 */
export async function obtainToken(
	{ httpRequest }: IHttpRequestHelper['helpers'],
	credential: ICredentialDataDecryptedObject,
): Promise<Partial<StoredFields>> {
	const turn = turns.get(credential);
	// Nothing is known of the request yet: `authenticate` comes next.
	if (!turn) return (await logInForTest(httpRequest, credential)) ?? {};
	const { account, token: carried, place, entry, isOlderHelper } = turn;
	if (turn.failure) throw new NotSentError(turn.failure);
	if (place) account.limit.fail(place);
	if (carried && !account.tokens.isWorthReplacing(carried)) return {};
	const known = account.tokens.choose(storedToken(account, credential));
	const outcome = known
		? { token: known, isOwn: false }
		: await account.tokens.logIn(async (stop) => await exchange(httpRequest, account, stop), {
				signal: entry.signal,
			});
	if (!outcome) throw fail(turn, MESSAGES.limits.cancelled());
	if (outcome.failure) throw fail(turn, outcome.failure);
	return outcome.isOwn || isOlderHelper ? toStoredFields(account, outcome.token) : {};
}

/**
 * n8n's `authenticate`: signs a request once it may be sent. Headers that the user has set stay.
 *
 * @throws NotSentError when the address is not the service's own, or when the request would have to wait for too long.
 */
export async function signRequest(
	credential: ICredentialDataDecryptedObject,
	options: RequestOptions,
): Promise<RequestOptions> {
	if (!turns.has(credential) && isTest(options)) return await signTest(credential, options);
	const turn = turns.get(credential) ?? beginForOther(credential, options);
	const { account, entry, timeoutMs = Infinity } = turn;
	const { limit, tokens, settings } = account;
	if (turn.failure) throw new NotSentError(turn.failure);
	const address = ownAddress(options, settings);
	if (!address) throw fail(turn, MESSAGES.credential.otherAddress(settings.origin));
	const stored = storedToken(account, credential);
	turn.lacksToken = !tokens.choose(stored);
	if (turn.lacksToken) throw tokenNeeded();

	const place = await limit.enter(entry);
	if (!place) {
		const text = MESSAGES.limits.reached(limit.textFor(entry.queue), limit.delayMs(entry.queue));
		throw fail(turn, { ...text, noPlace: true });
	}
	const token = tokens.choose(stored);
	if (!token) {
		limit.giveBack(place);
		turn.lacksToken = true;
		// The node sends it again itself, with the credential as it is by then.
		throw entry.isUnseen ? tokenNeeded() : new UserError('The token was given up');
	}
	Object.assign(turn, { place, token });
	const request = signed(options, address, settings, token);
	if (entry.isUnseen) return request;
	const timeout = abortedAfter(timeoutMs);
	turn.end = entry.signal ? AbortSignal.any([entry.signal, timeout]) : timeout;
	return { ...request, abortSignal: turn.end };
}

function beginForOther(credential: ICredentialDataDecryptedObject, options: RequestOptions): Turn {
	const { value: settings, failure } = checkSettings(credential);
	if (failure) throw new NotSentError(failure);
	const account = accountOf(settings);
	const queue = account.limit.queueOfOthers(settings.requestsPerMinute);
	const endsAt = account.clock.now() + LONGEST_WAIT_MS;
	const turn: Turn = {
		account,
		entry: { queue, endsAt, isUnseen: true },
		isOlderHelper: options.uri !== undefined,
	};
	turns.set(credential, turn);
	return turn;
}

function fail(turn: Turn, failure: NonNullable<Turn['failure']>): NotSentError {
	turn.failure = failure;
	return new NotSentError(failure);
}
