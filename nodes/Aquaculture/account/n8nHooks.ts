import {
	UserError,
	type ICredentialDataDecryptedObject,
	type IHttpRequestHelper,
} from 'n8n-workflow';
import { abortedAfter } from '../service/abort';
import type { Failure, Result } from '../service/failures';
import { MINUTE_MS } from '../messages/duration';
import { descriptionOf, MESSAGES } from '../messages/messages';
import { accountOf, type Account } from './account';
import { logIn } from './login';
import type { Slot, SlotRequest } from './rateLimiter';
import { resolveOwnUrl, withAuthorization, type RequestOptions } from './requestGuard';
import type { HttpRequest, StreamedResponse } from './send';
import { checkSettings } from './settings';
import type { AccessToken } from './tokenSource';

/*
 * Each request goes through n8n's helper, which calls two hooks with the same credential object (n8n 1.123 and 2.40):
 *
 * 1. `preAuthentication` (`admit`), because the credential never holds a token: logs in if need be, and waits for a slot.
 * 2. `authenticate` (`sign`): checks the address and signs.
 * 3. `preAuthentication` again if a request of an HTTP Request node fails, for whatever reason, and if that returns a token,
 *    `authenticate` again. Foreign nodes may use n8n's newer helper, which calls both again after a 401, token or not.
 */

/** How long a request of an HTTP Request node may wait for a slot. n8n cannot cancel it meanwhile. */
const MAX_HTTP_NODE_WAIT_MS = 5 * MINUTE_MS;

/** What a request is sent with. */
export interface Admission {
	slot: Slot;
	token: AccessToken;
}

/** A request on its way through n8n's helper. */
interface PendingRequest {
	readonly account: Account;
	readonly slotRequest: SlotRequest;
	/** Time for the whole answer. Absent for HTTP Request nodes, which have a timeout of their own. */
	readonly timeoutMs?: number;
	admission?: Admission | undefined;
	/** Aborted when the time is over, or when the execution is cancelled. */
	end?: AbortSignal;
	/** Why it was not sent. */
	failure?: Failure;
}

const pendingRequests = new WeakMap<ICredentialDataDecryptedObject, PendingRequest>();

/** Logs in if there is no token, and waits for a slot. */
export async function admit(
	{ httpRequest }: IHttpRequestHelper['helpers'],
	credential: ICredentialDataDecryptedObject,
): Promise<{ accessToken?: string }> {
	const pending = pendingRequests.get(credential) ?? expectHttpNodeRequest(credential);
	if (pending.failure) throw new NotSentError(pending.failure);
	const { account, slotRequest, admission: failed } = pending;
	if (failed) {
		pending.admission = undefined;
		account.limiter.reportNoAnswer(failed.slot);
		if (!account.tokens.reportHttpNodeFailed(failed.token)) return {};
	}
	const { value, failure } = await waitForAdmission(httpRequest, account, slotRequest);
	if (failure) throw notSent(pending, failure);
	pending.admission = value;
	// n8n stores what it gets here, and sends a failed request again only if it gets something.
	return failed ? { accessToken: '' } : {};
}

/** Checks the address and signs the request. */
export function sign(
	credential: ICredentialDataDecryptedObject,
	options: RequestOptions,
): RequestOptions {
	const pending = pendingRequests.get(credential);
	if (!pending) throw new Error('n8n has not called preAuthentication');
	const { account, slotRequest, admission, timeoutMs } = pending;
	if (!admission) {
		// n8n's newer helper, after a 401 that no other token would help with.
		const failure = MESSAGES.status.tokenRejected('this address');
		throw notSent(pending, { ...failure, kind: 'account' });
	}
	const address = resolveOwnUrl(options, account.settings);
	if (!address) {
		account.limiter.release(admission.slot);
		const failure = MESSAGES.credential.otherAddress(account.settings.origin);
		throw notSent(pending, { ...failure, kind: 'account' });
	}
	const request = withAuthorization(options, address, account.settings, admission.token);
	if (timeoutMs === undefined) return request;
	const signals = [slotRequest.signal, abortedAfter(timeoutMs)];
	pending.end = AbortSignal.any(signals.filter((signal) => signal !== undefined));
	return { ...request, abortSignal: pending.end };
}

async function waitForAdmission(
	httpRequest: HttpRequest,
	account: Account,
	slotRequest: SlotRequest,
): Promise<Result<Admission>> {
	const { limiter, tokens } = account;
	const { queue, signal, responseUnseen } = slotRequest;
	const login = async (stop: AbortSignal) => await logIn(httpRequest, account, stop);
	for (;;) {
		if (!tokens.current) {
			const { failure } = await tokens.logIn(login, { signal });
			// Whatever the reason is, it concerns all requests of the account.
			const kind = failure?.kind === 'notSent' ? 'notSent' : 'account';
			if (failure) return { failure: { ...failure, kind } };
		}
		const slot = await limiter.acquire(slotRequest);
		if (!slot) {
			const state = limiter.describe(queue);
			// An HTTP Request node has no 'Maximum Wait'.
			const failure = responseUnseen
				? MESSAGES.limits.reached(state, limiter.delayMs(queue))
				: MESSAGES.limits.noSlot(state, limiter.delayMs(queue, queue.demand));
			return { failure: { ...failure, kind: 'notSent' } };
		}
		const token = tokens.current;
		if (token) return { value: { slot, token } };
		// It expired or was invalidated during the wait.
		limiter.release(slot);
	}
}

function expectHttpNodeRequest(credential: ICredentialDataDecryptedObject): PendingRequest {
	const { value: settings, failure } = checkSettings(credential);
	if (failure) throw new NotSentError(failure);
	const account = accountOf(settings);
	const queue = account.limiter.httpNodeQueue(settings.requestsPerMinute);
	const deadline = account.clock.now() + MAX_HTTP_NODE_WAIT_MS;
	const pending = { account, slotRequest: { queue, deadline, responseUnseen: true } };
	pendingRequests.set(credential, pending);
	return pending;
}

function notSent(pending: PendingRequest, failure: Failure): NotSentError {
	pending.failure = failure;
	return new NotSentError(failure);
}

/** The error of a request that may not be sent. With `response` or `code`, n8n would replace its message or try again. */
class NotSentError extends UserError {
	constructor(failure: Failure) {
		super(failure.message, { description: descriptionOf(failure) });
	}
}

/** A request of this package's nodes that n8n's helper was called with. */
export type HandedOver = Readonly<PendingRequest> & {
	response?: StreamedResponse;
	error?: unknown;
};

/**
 * Calls n8n's helper for a request of this package's nodes. It never throws.
 *
 * @param call calls the helper with this credential object, which it hands to both hooks.
 */
export async function handOver(
	request: Omit<PendingRequest, 'admission' | 'end' | 'failure'>,
	credential: ICredentialDataDecryptedObject,
	call: (credential: ICredentialDataDecryptedObject) => Promise<StreamedResponse>,
): Promise<HandedOver> {
	const pending: PendingRequest = { ...request };
	const own = { ...credential, accessToken: '' };
	pendingRequests.set(own, pending);
	try {
		const response = await call(own);
		return { ...pending, response };
	} catch (error) {
		return { ...pending, error };
	}
}
