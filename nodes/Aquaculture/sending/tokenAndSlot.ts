import type { Slot } from '../limit/queue';
import { explainNoSlot } from '../limit/noSlot';
import type { SlotRequest } from '../limit/rateLimiter';
import type { Account } from '../login/account';
import type { Login } from '../login/tokenSource';
import type { AccessToken } from '../service/token';
import type { Failure, Result } from '../messages/failure';

/** The slot and the token that a request is sent with. */
export interface TokenAndSlot {
	slot: Slot;
	token: AccessToken;
}

/**
 * Waits until a request may be sent: for a token, after a login if need be, then for a slot of the rate limiter.
 *
 * @returns why the login failed, or why the request got no slot in time.
 */
export async function acquireTokenAndSlot(
	{ limiter, tokens }: Pick<Account, 'limiter' | 'tokens'>,
	slotRequest: SlotRequest,
	login: Login,
): Promise<Result<TokenAndSlot, Failure>> {
	for (;;) {
		const { failure } = await tokens.acquire(login, slotRequest.signal);
		// A login that got no slot is tried again when this request gets one: its own limits say how long it may wait.
		if (failure && failure.kind !== 'noSlot') return { failure };
		const slot = await limiter.acquire(slotRequest);
		if (!slot) return { failure: explainNoSlot(limiter, slotRequest.queue) };
		const token = tokens.current;
		if (token) return { value: { slot, token } };
		// The token was lost while this request waited, or the login has got no slot. The login goes first, so it gets this one, or the next
		// one that is given back.
		limiter.release(slot);
	}
}
