import { addNote, type Failure, type Result } from '../messages/failure';
import { SENTENCES } from '../messages/phrases';
import { receiveAnswer, streamed } from './receiveAnswer';
import {
	explainHelperError,
	noSlot,
	timedOut,
	type HelperError,
} from '../service/noAnswerFailures';
import { redactor } from '../service/redact';
import type { RawAnswer, ServiceDocument } from '../service/answer';
import type { AccessToken } from '../service/token';
import { timeoutSignal } from '../utils/time';
import type { Client } from './client';
import { signWith } from './credentialHooks';
import { acquireTokenAndSlot, type TokenAndSlot } from './tokenAndSlot';

/** The outcome of a request: an answer, or why there is none. Without a token and a slot, it was not sent. */
export type Sent =
	| ({ answer: RawAnswer; failure?: never } & TokenAndSlot)
	| ({ failure: Failure } & Partial<TokenAndSlot>);

/**
 * Sends the request for a document once: waits for a token and a slot, lets n8n's helper send it, receives the answer, and tells
 * the limiter. Never throws.
 *
 * @param timeoutMs the time for the whole answer, in milliseconds.
 * @param rejectedToken the token with which the document was answered with 401.
 */
export async function sendRequest(
	client: Client,
	document: ServiceDocument<unknown>,
	timeoutMs: number,
	rejectedToken: AccessToken | undefined,
): Promise<Sent> {
	const { account, credential, signal } = client;
	const { limiter, settings } = account;
	const { path, subject } = document;
	const { value: tokenAndSlot, failure } = await acquire(client, rejectedToken);
	if (failure) return { failure };
	const { token, slot } = tokenAndSlot;
	const signals = [signal, timeoutSignal(timeoutMs)];
	const endSignal = AbortSignal.any(signals.filter((each) => each !== undefined));
	const options = {
		...streamed(timeoutMs),
		method: 'GET',
		url: settings.baseUrl + path,
		headers: { Accept: 'application/json' },
	} as const;
	try {
		const response = await client.send(options, signWith(credential, settings, token, endSignal));
		const answer = await receiveAnswer(response, account, slot, { subject, timeoutMs, endSignal });
		return { answer, token, slot };
	} catch (error) {
		limiter.recordUnanswered(slot);
		const redact = redactor([settings.password, token.value]);
		const failure = endSignal.aborted
			? timedOut(subject, timeoutMs)
			: explainHelperError(error as HelperError, subject, settings.origin, redact);
		return { failure, token, slot };
	}
}

async function acquire(
	{ account: { limiter, tokens }, queue, waitDeadline: deadline, signal, logIn }: Client,
	rejectedToken: AccessToken | undefined,
): Promise<Result<TokenAndSlot, Failure>> {
	const isRejected = () => rejectedToken !== undefined && tokens.current === rejectedToken;
	const { value, failure } = await acquireTokenAndSlot(
		limiter,
		{ queue, deadline, signal },
		{
			getToken: () => (isRejected() ? undefined : tokens.current),
			logIn: async () => await tokens.joinLogin(logIn, signal, isRejected()),
		},
	);
	if (value) return { value };
	if (failure === 'noSlot') {
		return { failure: noSlot(limiter.describeLimit(queue, queue.announced)) };
	}
	// Other documents may still use the token that this one cannot. But if the login was refused, perhaps the password has changed,
	// and each further request would only be another 401.
	return isRejected() && failure.kind !== 'loginRefused'
		? { failure: { ...addNote(failure, SENTENCES.loginAfter401()), kind: undefined } }
		: { failure: { ...failure, kind: 'stopsAll' } };
}
