import { UserError, type ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { SlotRequest } from '../limit/rateLimiter';
import type { Account } from '../login/account';
import type { SendHttpRequest } from '../n8n/receiveAnswer';
import { fullDescription, MESSAGES } from '../messages/messages';
import type { AccessToken } from '../service/token';
import type { Failure } from '../service/failures';
import { timeoutSignal } from '../utils/abort';
import { acquireTokenAndSlot, type TokenAndSlot } from './tokenAndSlot';
import { checkRequest, signRequest, type RequestOptions } from './signRequest';

/** How far a request has come. */
type State =
	| { step: 'new' }
	| { step: 'ready'; tokenAndSlot: TokenAndSlot }
	/** `endSignal` aborts on timeout or cancellation. */
	| { step: 'signed'; tokenAndSlot: TokenAndSlot; endSignal?: AbortSignal }
	/** It may not be sent, or not be sent again. */
	| { step: 'refused'; failure: Failure };

/** A request on its way through n8n's helper. It is prepared once and signed once, so it is never sent twice. */
export class PendingRequest {
	private current: State = { step: 'new' };

	/**
	 * @param options absent for HTTP Request nodes, which have a timeout of their own and are never sent again. `timeoutMs` is the
	 *   time for the whole answer, in milliseconds, `rejectedToken` the token with which the document was answered with 401.
	 */
	constructor(
		private readonly account: Account,
		private readonly slotRequest: SlotRequest,
		private readonly options: { timeoutMs?: number; rejectedToken?: AccessToken | undefined } = {},
	) {}

	get state(): State {
		return this.current;
	}

	/**
	 * Waits until the request may be sent.
	 *
	 * @throws RequestRefusedError if it may not be sent.
	 */
	async prepare(httpRequest: SendHttpRequest): Promise<void> {
		const { value, failure } = await acquireTokenAndSlot(
			httpRequest,
			this.account,
			this.slotRequest,
			this.options.rejectedToken,
		);
		if (failure) throw this.refuse(failure);
		this.current = { step: 'ready', tokenAndSlot: value };
	}

	/**
	 * Reports that a request of an HTTP Request node has failed, for a reason that n8n does not give. (n8n never reports a
	 * success: see `assumedResponseMs` in `queueKinds.ts`. Our own nodes see each answer themselves: see `streamed`.) Throws
	 * nothing, because n8n would hide the failure.
	 */
	reportFailed(): void {
		if (this.current.step === 'new' || this.current.step === 'refused') return;
		const { slot, token } = this.current.tokenAndSlot;
		this.account.limiter.reportFailed(slot);
		this.account.tokens.reportHttpNodeFailed(token);
	}

	/**
	 * Checks the address, signs the request, and starts its timeout.
	 *
	 * @throws RequestRefusedError for a request that may not be sent, or that has failed.
	 */
	sign(options: RequestOptions): RequestOptions {
		const { account, slotRequest, current } = this;
		const { timeoutMs } = this.options;
		if (current.step === 'refused') throw new RequestRefusedError(current.failure);
		if (current.step !== 'ready') throw this.refuse(MESSAGES.status.unauthorizedRequest());
		const { tokenAndSlot } = current;
		const { value: address, failure } = checkRequest(options, account.settings);
		if (failure) {
			account.limiter.release(tokenAndSlot.slot);
			throw this.refuse(failure);
		}
		const request = signRequest(options, address, account.settings, tokenAndSlot.token);
		if (timeoutMs === undefined) {
			this.current = { step: 'signed', tokenAndSlot };
			return request;
		}
		const signals = [slotRequest.signal, timeoutSignal(timeoutMs)];
		const endSignal = AbortSignal.any(signals.filter((signal) => signal !== undefined));
		this.current = { step: 'signed', tokenAndSlot, endSignal };
		return { ...request, abortSignal: endSignal };
	}

	/** Remembers why the request is not sent, and returns the error to throw. */
	private refuse(failure: Failure): RequestRefusedError {
		this.current = { step: 'refused', failure };
		return new RequestRefusedError(failure);
	}
}

/**
 * By the credential object, because n8n hands the same one to both hooks of a request. Credential and nodes share this map, because
 * the build makes one bundle of them.
 */
export const pendingRequests = new WeakMap<ICredentialDataDecryptedObject, PendingRequest>();

/** Why a request is not sent. It has no `response` or `code`: n8n would replace the message or try again. */
export class RequestRefusedError extends UserError {
	constructor(failure: Failure) {
		super(failure.message, { description: fullDescription(failure) });
	}
}
