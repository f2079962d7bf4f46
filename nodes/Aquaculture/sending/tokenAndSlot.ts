import type { Slot } from '../limit/queue';
import { QUEUE_KINDS } from '../limit/queueKinds';
import type { SlotRequest } from '../limit/rateLimiter';
import { addNote, MESSAGES, SENTENCES } from '../messages/messages';
import type { Account } from '../login/account';
import { logIn } from '../login/login';
import type { SendHttpRequest } from '../n8n/receiveAnswer';
import type { AccessToken } from '../service/token';
import type { Failure } from '../service/failures';
import type { Result } from '../utils/result';

/** The slot and the token that a request is sent with. */
export interface TokenAndSlot {
	slot: Slot;
	token: AccessToken;
}

/**
 * Waits until a request may be sent: for a token, after a login if need be, and for a slot of the rate limiter.
 *
 * @param rejectedToken the token with which the request was answered with 401.
 */
export async function acquireTokenAndSlot(
	httpRequest: SendHttpRequest,
	account: Account,
	slotRequest: SlotRequest,
	rejectedToken: AccessToken | undefined,
): Promise<Result<TokenAndSlot, Failure>> {
	const { limiter, tokens } = account;
	const { queue, signal } = slotRequest;
	const isHttpNode = queue.kind === QUEUE_KINDS.httpNode;
	const login = async () => await logIn(httpRequest, account);
	let takesDoubtful = !isHttpNode;
	let slot: Slot | undefined;
	for (;;) {
		if (!tokens.tokenFor(rejectedToken, takesDoubtful)) {
			const loggingIn = tokens.joinLogin(login, signal);
			// Release after `joinLogin`, which queues the login: logins go first, so no other execution takes this slot.
			if (slot) limiter.release(slot);
			const { failure } = await loggingIn;
			if (failure && failure.kind !== 'notSent') {
				takesDoubtful = true;
				if (!tokens.tokenFor(rejectedToken, takesDoubtful)) {
					return { failure: afterFailedLogin(failure, tokens.current !== undefined) };
				}
			}
			// A login that got no slot is tried again when this request gets one: its own limits say how long it may wait.
		}
		slot = await limiter.acquire(slotRequest);
		if (!slot) {
			// HTTP Request nodes have no 'Maximum Wait' to name. Neither have polls, but they do not show this text.
			const text = isHttpNode
				? MESSAGES.limits.reached(limiter.describeLimit(queue))
				: MESSAGES.limits.noSlot(limiter.describeLimit(queue, queue.demand));
			return { failure: { ...text, kind: 'notSent' } };
		}
		const token = tokens.tokenFor(rejectedToken, takesDoubtful);
		if (token) return { value: { slot, token } };
		// The token has expired or was rejected during the wait, or a login is to be tried again: the slot is for that.
	}
}

/**
 * Returns the failure of a request whose login has failed. If others still have a token, they continue, because perhaps the service
 * rejects it for this document only. But after a refusal, all of them end: if the password has changed, the service probably no
 * longer accepts the old token, and each further request would only be another 401.
 *
 * @param othersHaveToken whether there is a token, although the service has rejected it for this document.
 */
function afterFailedLogin(failure: Failure, othersHaveToken: boolean): Failure {
	if (failure.kind === 'cancelled') return failure;
	return othersHaveToken && failure.kind !== 'loginRefused'
		? { ...addNote(failure, SENTENCES.loginAfter401()), kind: undefined }
		: { ...failure, kind: 'stopsAll' };
}
