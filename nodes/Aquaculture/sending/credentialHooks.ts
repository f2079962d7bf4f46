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
import type { SlotRequest } from '../limit/rateLimiter';
import { acquireSlotAndToken, type SlotAndToken } from '../login/slotAndToken';
import { checkRequest, signRequest, type RequestOptions } from './signRequest';
import type { StreamedResponse } from '../login/transport';
import { checkCredentialSettings } from '../login/credentialSettings';

/*
 * A request goes through one of n8n's helpers, which calls two hooks of the credential (the proof is in docs/architecture.md,
 * n8n 1 to 5):
 *
 * 1. `preAuthentication` logs in if need be, and waits for a slot. n8n calls it before each request, because the credential
 *    never holds a token.
 * 2. `authenticate` checks the address and signs.
 *
 * n8n hands the same credential object to both, so that object identifies the request. Two kinds of nodes call a helper: this
 * package's own, through `callHelper`, and HTTP Request nodes, of which `preAuthentication` is the first to hear.
 *
 * | Request                      | n8n calls                                              | Result |
 * | ---------------------------- | ------------------------------------------------------ | ------ |
 * | succeeds, either helper      | `preAuthentication`, `authenticate`                    | sent once |
 * | fails, older helper          | the same, then `preAuthentication`, which returns `{}` | sent once; n8n throws its failure |
 * | 401, newer helper            | the same, then both hooks; `authenticate` throws       | sent once; n8n throws that error |
 *
 * Nothing is sent twice, because it could be a POST. HTTP Request nodes use the older helper, which would send a failed request
 * again if `preAuthentication` returned a token. Other packages' nodes may use the newer one, which sends again after a 401
 * unless `authenticate` throws.
 */

/** A request on its way through n8n's helper. */
interface PendingRequest {
	readonly account: Account;
	readonly slotRequest: SlotRequest;
	/** Time for the whole response, in milliseconds. Absent for HTTP Request nodes, which have a timeout of their own. */
	readonly timeoutMs?: number;
	progress: Progress;
}

/** How far a request has come. Every step but the first is final for {@link preAuthenticate}: it never sends a request again. */
type Progress =
	| { step: 'new' }
	| { step: 'ready'; slotAndToken: SlotAndToken }
	/** `endSignal` aborts on timeout or cancellation. */
	| { step: 'signed'; slotAndToken: SlotAndToken; endSignal?: AbortSignal }
	/** It may not be sent, or not be sent again. */
	| { step: 'refused'; failure: Failure };

const pendingRequests = new WeakMap<ICredentialDataDecryptedObject, PendingRequest>();

/** What has become of a request: a response, a refusal, or the error that n8n's helper threw. */
interface HelperOutcome {
	response?: StreamedResponse;
	/** Why the request was not sent. */
	failure?: Failure;
	error?: unknown;
	/** Absent if the request was not sent. */
	slotAndToken?: SlotAndToken;
	endSignal?: AbortSignal;
}

/**
 * Calls n8n's helper for a request of this package's nodes. Never throws.
 *
 * @param call calls the helper with this credential object, which it hands to both hooks.
 */
export async function callHelper(
	request: Omit<PendingRequest, 'progress'>,
	credential: ICredentialDataDecryptedObject,
	call: (credential: ICredentialDataDecryptedObject) => Promise<StreamedResponse>,
): Promise<HelperOutcome> {
	const pending: PendingRequest = { ...request, progress: { step: 'new' } };
	const copy = { ...credential, accessToken: '' };
	pendingRequests.set(copy, pending);
	try {
		const response = await call(copy);
		return { ...pending.progress, response };
	} catch (error) {
		return { ...pending.progress, error };
	}
}

/** How long a request of an HTTP Request node may wait for a slot. n8n cannot cancel that wait. */
const MAX_HTTP_NODE_WAIT_MS = 5 * MINUTE_MS;

function registerHttpNodeRequest(credential: ICredentialDataDecryptedObject): PendingRequest {
	const { value: settings, failure } = checkCredentialSettings(credential);
	if (failure) throw new RequestRefusedError(failure);
	const account = getAccount(settings);
	const deadline = account.clock.now() + MAX_HTTP_NODE_WAIT_MS;
	const slotRequest = { queue: account.httpNodeQueue, deadline };
	const pending: PendingRequest = { account, slotRequest, progress: { step: 'new' } };
	pendingRequests.set(credential, pending);
	return pending;
}

/**
 * Logs in if there is no token, and waits for a slot. Never returns a token, so n8n stores none. If the credential came with
 * one, returns an empty token so that n8n clears it.
 *
 * @throws RequestRefusedError if the request may not be sent. Never after a failure of the request, which n8n would hide.
 */
export async function preAuthenticate(
	{ httpRequest }: IHttpRequestHelper['helpers'],
	credential: ICredentialDataDecryptedObject,
): Promise<{ accessToken?: '' }> {
	const pending = pendingRequests.get(credential) ?? registerHttpNodeRequest(credential);
	const { account, slotRequest, progress } = pending;
	if (progress.step === 'ready' || progress.step === 'signed') {
		const { slot, token } = progress.slotAndToken;
		account.limiter.reportFailed(slot);
		account.tokens.reportHttpNodeFailed(token);
	}
	if (progress.step !== 'new') return {};
	const { value, failure } = await acquireSlotAndToken(httpRequest, account, slotRequest);
	if (failure) throw refuse(pending, failure);
	pending.progress = { step: 'ready', slotAndToken: value };
	// n8n retries a request with a filled token only if the field is returned, and stores the empty value.
	return credential.accessToken === '' ? {} : { accessToken: '' };
}

/**
 * Checks the address and signs the request, once.
 *
 * @throws RequestRefusedError for a request that may not be sent, or that has failed.
 */
export function authenticate(
	credential: ICredentialDataDecryptedObject,
	options: RequestOptions,
): RequestOptions {
	const pending = pendingRequests.get(credential);
	if (!pending) throw new TokenFilledError();
	const { account, slotRequest, progress, timeoutMs } = pending;
	if (progress.step === 'refused') throw new RequestRefusedError(progress.failure);
	if (progress.step !== 'ready') throw refuse(pending, MESSAGES.status.unauthorizedRequest());
	const { slotAndToken } = progress;
	const { value: address, failure } = checkRequest(options, account.settings);
	if (failure) {
		account.limiter.release(slotAndToken.slot);
		throw refuse(pending, failure);
	}
	const request = signRequest(options, address, account.settings, slotAndToken.token);
	if (timeoutMs === undefined) {
		pending.progress = { step: 'signed', slotAndToken };
		return request;
	}
	const signals = [slotRequest.signal, timeoutSignal(timeoutMs)];
	const endSignal = AbortSignal.any(signals.filter((signal) => signal !== undefined));
	pending.progress = { step: 'signed', slotAndToken, endSignal };
	return { ...request, abortSignal: endSignal };
}

/** Remembers why a request is not sent, and returns the error to throw. */
function refuse(pending: PendingRequest, failure: Failure): RequestRefusedError {
	pending.progress = { step: 'refused', failure };
	return new RequestRefusedError(failure);
}

/** Why a request is not sent. It has no `response` or `code`: n8n would replace the message or try again. */
class RequestRefusedError extends UserError {
	constructor(failure: Failure) {
		super(failure.message, { description: fullDescription(failure) });
	}
}

/**
 * Looks like a 401, the only failure after which n8n calls `preAuthentication` although the hidden field is filled. This package
 * never fills it, but n8n's public API can.
 */
class TokenFilledError extends Error {
	readonly response = { status: 401 };
}
