import { MESSAGES } from '../messages/messages';
import { receiveAnswer, streamed } from '../n8n/receiveAnswer';
import { PendingRequest, pendingRequests } from './pendingRequest';
import type { TokenAndSlot } from './tokenAndSlot';
import { connectionFailure } from '../service/connectionFailures';
import { timedOut, type Failure } from '../service/failures';
import { redactor, type Redact } from '../service/redact';
import type { Answer, ServiceDocument } from '../service/response';
import type { AccessToken } from '../service/token';
import type { Client } from './client';

/** The outcome of a request. */
export type Sent =
	| Answered
	/** It got no token or slot, or may not be sent. */
	| { outcome: 'refused'; failure: Failure; tokenAndSlot?: never }
	/** It has failed, or taken too long. It has no slot if n8n failed before the first hook. */
	| { outcome: 'unanswered'; failure: Failure; tokenAndSlot?: TokenAndSlot };

interface Answered {
	outcome: 'answered';
	answer: Answer;
	tokenAndSlot: TokenAndSlot;
}

/**
 * Sends the request for a document once, and tells the limiter how it was answered. Never throws.
 *
 * 1. It registers the request under the copy of the credential that it hands to n8n's helper.
 * 2. The helper calls the two hooks in `credentialHooks.ts` with this copy: `preAuthentication` waits for a token and a slot,
 *    `authenticate` signs the request and starts its timeout.
 * 3. The helper sends the request and returns the head of the answer, whose body is then received.
 *
 * @param rejectedToken the token with which the document was answered with 401.
 */
export async function sendRequest(
	{ account, credential, queue, waitDeadline: deadline, signal, send }: Client,
	document: ServiceDocument<unknown>,
	timeoutMs: number,
	rejectedToken: AccessToken | undefined,
): Promise<Sent> {
	const { path, subject } = document;
	const { limiter, settings } = account;
	const slotRequest = { queue, deadline, signal };
	const request = new PendingRequest(account, slotRequest, { timeoutMs, rejectedToken });
	// n8n calls the first hook only while this field is empty, but somebody may have saved a token in it.
	const credentialCopy = { ...credential, accessToken: '' };
	pendingRequests.set(credentialCopy, request);
	const options = {
		...streamed(timeoutMs),
		method: 'GET',
		url: settings.baseUrl + path,
		headers: { Accept: 'application/json' },
	} as const;
	try {
		const response = await send(options, credentialCopy);
		if (request.state.step !== 'signed') throw new Error('n8n did not sign the request');
		const { tokenAndSlot, endSignal } = request.state;
		const answer = await receiveAnswer(response, account, tokenAndSlot.slot, {
			subject,
			timeoutMs,
			endSignal,
		});
		return { outcome: 'answered', answer, tokenAndSlot };
	} catch (error) {
		const { state } = request;
		if (state.step === 'refused') return { outcome: 'refused', failure: state.failure };
		const tokenAndSlot = state.step === 'new' ? undefined : state.tokenAndSlot;
		const isTimedOut = state.step === 'signed' && state.endSignal?.aborted;
		if (tokenAndSlot) limiter.reportFailed(tokenAndSlot.slot);
		const redact = redactor([settings.password, tokenAndSlot?.token.value]);
		const failure = isTimedOut
			? timedOut(subject, timeoutMs)
			: describeHelperError(error as HelperError, document, settings.origin, redact);
		return { outcome: 'unanswered', failure, ...(tokenAndSlot && { tokenAndSlot }) };
	}
}

/** The error that n8n's helper throws if there is no answer. */
interface HelperError {
	message: string;
	description?: string | null;
	/** The code of Node.js, OpenSSL or axios. */
	httpCode?: string | null;
	/** The messages that n8n replaced with its own. */
	messages?: string[];
}

function describeHelperError(
	{ message, description, httpCode, messages = [] }: HelperError,
	{ subject }: ServiceDocument<unknown>,
	origin: string,
	redact: Redact,
): Failure {
	return httpCode
		? connectionFailure({ code: httpCode, message: messages.at(-1) ?? message }, subject, origin)
		: MESSAGES.connection.helperFailed(subject, [redact(message), redact(description ?? '')]);
}
