import type { Slot } from '../limit/queue';
import { explainNoSlot } from '../limit/noSlot';
import type { SlotRequest } from '../limit/rateLimiter';
import type { Account } from '../login/account';
import type { Login, TokenNeed } from '../login/tokenSource';
import type { AccessToken } from '../service/token';
import type { Failure, Result } from '../messages/failure';

/** The slot and the token that a request is sent with. */
export interface TokenAndSlot {
	slot: Slot;
	token: AccessToken;
}

/**
 * Waits until a request may be sent: for a token, after a login if need be, then for a slot of the rate limiter. `TokenSource`
 * decides whether a login is sent, also after a 401.
 *
 * A login that got no slot is tried again when this request gets one, because its own limits say how long it may wait.
 *
 * @returns why the login failed, or why the request got no slot in time.
 */
export async function acquireTokenAndSlot(
	{ limiter, tokens }: Pick<Account, 'limiter' | 'tokens'>,
	slotRequest: SlotRequest,
	need: TokenNeed,
	login: Login,
): Promise<Result<TokenAndSlot, Failure>> {
	let slot: Slot | undefined;
	let token = tokens.usableToken(need);
	for (;;) {
		if (!token) {
			const loggingIn = tokens.joinLogin(login, need, slotRequest.signal);
			// The token was lost while this request waited, so it cannot use its slot. `login` has joined the limiter's queue by now, before
			// its first await, and logins go first: so it gets this slot, and not the next request, which needs the login as well.
			if (slot) limiter.release(slot);
			const { failure } = await loggingIn;
			if (failure && failure.kind !== 'notSent' && !tokens.usableToken(need)) return { failure };
		}
		slot = await limiter.acquire(slotRequest);
		if (!slot) return { failure: explainNoSlot(limiter, slotRequest.queue) };
		token = tokens.usableToken(need);
		if (token) return { value: { slot, token } };
	}
}
