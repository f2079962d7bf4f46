import {
	UserError,
	type ICredentialDataDecryptedObject,
	type IHttpRequestHelper,
} from 'n8n-workflow';
import { timeoutSignal } from '../utils/abort';
import type { Failure } from '../service/failures';
import { MINUTE_MS } from '../utils/time';
import { fullDescription, MESSAGES } from '../messages/messages';
import { getAccount, type Account } from '../login/account';
import type { SlotRequest } from '../limit/queue';
import { acquireSlotAndToken, type SlotAndToken } from '../login/slotAndToken';
import { checkRequest, signRequest, type RequestOptions } from './signRequest';
import type { StreamedResponse } from '../login/transport';
import { checkCredentialSettings } from '../login/credentialSettings';

/*
 * Each request goes through one of n8n's helpers, which calls two hooks of the credential with the same object
 * (docs/architecture.md, n8n 1, 3, 4 and 5):
 *
 * 1. `preAuthentication` logs in if need be, and waits for a slot. n8n calls it because the credential never holds a token.
 * 2. `authenticate` checks the address and signs.
 *
 * After a failed request of an HTTP Request node, n8n calls `preAuthentication` again, and would send the request again if it
 * returned a token. Nothing is sent twice, because it could be a POST. Other packages' nodes may use n8n's newer helper, which
 * calls both hooks again after a 401: there, only an error of `authenticate` prevents the second request.
 */

/** How long a request of an HTTP Request node may wait for a slot. n8n cannot cancel that wait. */
const MAX_HTTP_NODE_WAIT_MS = 5 * MINUTE_MS;

/** A request on its way through n8n's helper. */
interface PendingRequest {
	readonly account: Account;
	readonly slotRequest: SlotRequest;
	/** Time for the whole answer. Absent for HTTP Request nodes, which have a timeout of their own. */
	readonly timeoutMs?: number;
	/** Cleared after a failure, so that the request cannot be signed twice. */
	slotAndToken?: SlotAndToken | undefined;
	/** Aborts when the time is over, or when the execution is cancelled. */
	endSignal?: AbortSignal;
	/** Why the request is not sent. */
	failure?: Failure;
}

const pendingRequests = new WeakMap<ICredentialDataDecryptedObject, PendingRequest>();

/**
 * Logs in if there is no token, and waits for a slot. It returns no token, so n8n stores nothing, unless the credential came
 * with a token, which n8n then empties.
 *
 * @throws NotSentError if the request may not be sent. Never after a failure of the request, which n8n would hide.
 */
export async function preAuthenticate(
	{ httpRequest }: IHttpRequestHelper['helpers'],
	credential: ICredentialDataDecryptedObject,
): Promise<{ accessToken?: '' }> {
	const known = pendingRequests.get(credential);
	if (known?.failure) return {};
	if (known?.slotAndToken) {
		reportHttpNodeFailed(known, known.slotAndToken);
		return {};
	}
	const pending = known ?? registerHttpNodeRequest(credential);
	const { value, failure } = await acquireSlotAndToken(
		httpRequest,
		pending.account,
		pending.slotRequest,
	);
	if (failure) throw refuse(pending, failure);
	pending.slotAndToken = value;
	// n8n retries a request with a filled token only if the field is returned, and stores the empty value.
	return credential.accessToken === '' ? {} : { accessToken: '' };
}

function reportHttpNodeFailed(pending: PendingRequest, { slot, token }: SlotAndToken): void {
	pending.slotAndToken = undefined;
	pending.account.limiter.reportNoAnswer(slot);
	pending.account.tokens.reportHttpNodeFailed(token);
}

/**
 * Checks the address and signs the request.
 *
 * @throws NotSentError for a request that the guard refuses, or that has failed.
 */
export function authenticate(
	credential: ICredentialDataDecryptedObject,
	options: RequestOptions,
): RequestOptions {
	const pending = pendingRequests.get(credential);
	if (!pending) throw new TokenFilledError();
	const { account, slotRequest, slotAndToken, timeoutMs } = pending;
	if (!slotAndToken) throw refuse(pending, MESSAGES.status.unauthorizedRequest());
	const { slot, token } = slotAndToken;
	const { value: address, failure } = checkRequest(options, account.settings);
	if (failure) {
		account.limiter.release(slot);
		throw refuse(pending, failure);
	}
	const request = signRequest(options, address, account.settings, token);
	if (timeoutMs === undefined) return request;
	const signals = [slotRequest.signal, timeoutSignal(timeoutMs)];
	pending.endSignal = AbortSignal.any(signals.filter((signal) => signal !== undefined));
	return { ...request, abortSignal: pending.endSignal };
}

function registerHttpNodeRequest(credential: ICredentialDataDecryptedObject): PendingRequest {
	const { value: settings, failure } = checkCredentialSettings(credential);
	if (failure) throw new RequestRefusedError(failure);
	const account = getAccount(settings);
	const queue = account.limiter.httpNodeQueue(settings.requestsPerMinute);
	const deadline = account.clock.now() + MAX_HTTP_NODE_WAIT_MS;
	const pending = { account, slotRequest: { queue, deadline, isUnreported: true } };
	pendingRequests.set(credential, pending);
	return pending;
}

/** Remembers why a request is not sent, and returns the error to throw. */
function refuse(pending: PendingRequest, failure: Failure): RequestRefusedError {
	pending.slotAndToken = undefined;
	pending.failure = { kind: 'account', ...failure };
	return new RequestRefusedError(failure);
}

/** Why a request is not sent. It has no `response` or `code`: n8n would replace the message or try again. */
class RequestRefusedError extends UserError {
	constructor(failure: Failure) {
		super(failure.message, { description: fullDescription(failure) });
	}
}

/**
 * Looks like a 401, after which n8n calls `preAuthentication` although the hidden field is filled (docs/architecture.md, n8n 2).
 * This package never fills it, but n8n's public API can.
 */
class TokenFilledError extends Error {
	readonly response = { status: 401 };
}

/** A request of this package's nodes, and what n8n's helper returned or threw. */
type HelperOutcome = Readonly<PendingRequest> & {
	response?: StreamedResponse;
	error?: unknown;
};

/**
 * Calls n8n's helper for a request of this package's nodes. It never throws.
 *
 * @param call calls the helper with this credential object, which it hands to both hooks.
 */
export async function callHelper(
	request: Omit<PendingRequest, 'slotAndToken' | 'end' | 'failure'>,
	credential: ICredentialDataDecryptedObject,
	call: (credential: ICredentialDataDecryptedObject) => Promise<StreamedResponse>,
): Promise<HelperOutcome> {
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
