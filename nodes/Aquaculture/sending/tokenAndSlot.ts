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
 * Waits until a request may be sent: for a token, after a login if need be, then for a slot of the rate limiter. `TokenSource`
 * decides whether a login is sent, also after a 401.
 *
 * @param rejected the token with which the document was answered with 401: another one is needed.
 * @returns why the login failed, or why the request got no slot in time.
 */
export async function acquireTokenAndSlot(
	{ limiter, tokens }: Pick<Account, 'limiter' | 'tokens'>,
	slotRequest: SlotRequest,
	login: Login,
	rejected?: AccessToken,
): Promise<Result<TokenAndSlot, Failure>> {
	let slot: Slot | undefined;
	let token = tokens.usableToken(rejected);
	for (;;) {
		if (!token) {
			const loggingIn = tokens.joinLogin(login, rejected, slotRequest.signal);
			// If the token was lost while the request waited for a slot, the login gets this one: `joinLogin` has asked for a slot before it
			// returns, and logins go first.
			if (slot) limiter.release(slot);
			const { failure } = await loggingIn;
			// A login that got no slot is tried again when this request gets one: its own limits say how long it may wait.
			const isFinal = failure && failure.kind !== 'noSlot';
			if (isFinal && !tokens.usableToken(rejected)) return { failure };
		}
		slot = await limiter.acquire(slotRequest);
		if (!slot) return { failure: explainNoSlot(limiter, slotRequest.queue) };
		token = tokens.usableToken(rejected);
		if (token) return { value: { slot, token } };
	}
}
