import { logDebug } from '../n8n/log';
import type { After401 } from '../login/tokenSource';
import type { SlotAndToken } from '../login/slotAndToken';
import { callHelper } from '../sending/credentialHooks';
import { reportResponse, STREAMED, type StreamedResponse } from '../login/transport';
import { unlessAborted } from '../utils/abort';
import { cancelled, identifyFailure, timedOut, type Failure } from '../service/failures';
import { connectionFailure, findProxy } from '../service/connection';
import { redactor, type Redact } from '../service/redact';
import { readResponse, type ServiceDocument, type ServiceResponse } from '../service/response';
import { MAX_TRIES, retryPauseMs } from '../service/retry';
import { TOO_MANY_REQUESTS } from '../service/status';
import { SECOND_MS } from '../utils/time';
import { addNote, MESSAGES, SENTENCES } from '../messages/messages';
import type { Client } from './client';
import type { Result } from '../utils/result';

/** A GET request for a document of the service. */
export type DocumentRequest<T> = ServiceDocument<T>;

export interface TryLimits {
	/** Time for the whole answer to one try, in milliseconds. */
	timeoutMs: number;
	/** Time for all tries and the pauses between them, in milliseconds. Waiting for slots does not count. */
	allTriesMs?: number;
	/** How often to send a request that fails for a transient reason. */
	maxTries?: number;
}

/** Retry with this many fresh tokens: the service may revoke one before the request has its slot, but not for ever. */
const MAX_FRESH_TOKENS = 3;

/**
 * Reads a document: sends its request until it succeeds, fails for good, or has used up its tries or its time. A 429, or a 401
 * that another token may help with, does not count as a try. It never throws.
 */
export async function readDocument<T>(
	{ signal: shared, ...rest }: Client,
	request: DocumentRequest<T>,
	{ timeoutMs, allTriesMs = 45 * SECOND_MS, maxTries = MAX_TRIES }: TryLimits,
): Promise<Result<ServiceResponse<T>, Failure>> {
	// Node.js warns of a leak when a signal has more than ten listeners.
	const signal = shared && AbortSignal.any([shared]);
	const client: Client = { ...rest, signal };
	const { queue } = client;
	const { clock, tokens } = client.account;
	const document = request.path;
	let remainingMs = Math.max(allTriesMs, timeoutMs);
	let tries = 0;
	let freshTokens = 0;
	let bestFailure: Failure | undefined;
	for (let isResent = false; ; isResent = true) {
		if (isResent) queue.willResend();
		const tryMs = Math.min(timeoutMs, remainingMs);
		// At the end of a long queue, the request could wait for longer than its fresh token is valid.
		const sent = await sendOnce(client, request, tryMs, freshTokens > 0);
		const statusCode = sent.response?.statusCode;
		if (statusCode === TOO_MANY_REQUESTS) continue;
		if (sent.response && statusCode === 401) {
			const mayReplace = freshTokens < MAX_FRESH_TOKENS;
			if (mayReplace && (await replaceToken(client, request, sent, freshTokens > 0))) {
				freshTokens += 1;
				continue;
			}
		} else if (sent.response) {
			tokens.reportAccepted(sent.slotAndToken.token, document);
		}
		const result = await readResult(client, request, sent, tryMs);
		if (signal?.aborted) return { failure: cancelled() };
		const { failure } = result;
		if (failure?.kind === 'notSent' && bestFailure) return { failure: bestFailure };
		if (failure?.kind !== 'transient') return result;

		tries += 1;
		// An answer of the service says more than a later try without an answer.
		if (failure.statusCode !== undefined || !bestFailure) bestFailure = failure;
		const pauseMs = retryPauseMs(tries, failure.waitMs);
		remainingMs -= clock.now() - (sent.slotAndToken?.slot.sentAt ?? clock.now()) + pauseMs;
		if (tries === maxTries || remainingMs < SECOND_MS) {
			return { failure: addTries(bestFailure, tries, failure.waitMs) };
		}
		await waitToResend(client, request, identifyFailure(failure), pauseMs);
	}
}

/**
 * Handles a 401, which may mean the token: waits until there is another token, or until it is time for a login.
 *
 * @param isFresh whether the token is newer than an earlier 401 for the document.
 * @returns whether to send the request again.
 */
async function replaceToken(
	client: Client,
	request: DocumentRequest<unknown>,
	{ response, slotAndToken: { token } }: AnsweredRequest,
	isFresh: boolean,
): Promise<boolean> {
	const { tokens } = client.account;
	const document = request.path;
	let decision: After401;
	do {
		decision = tokens.handle401(token, document, isFresh);
		if (decision === 'giveUp') return false;
		await waitToResend(client, request, '401', decision === 'resend' ? 0 : decision.waitMs);
	} while (decision !== 'resend' && !client.signal?.aborted);
	response.body.destroy();
	return true;
}

async function waitToResend(
	{ account, signal }: Client,
	{ subject }: DocumentRequest<unknown>,
	reason: string,
	waitMs: number,
): Promise<void> {
	logDebug(account.settings, 'Sending a request again', { subject: subject.name, reason, waitMs });
	await unlessAborted(account.clock.sleep(waitMs), signal);
}

/** A request that the service has answered. */
interface AnsweredRequest {
	response: StreamedResponse;
	slotAndToken: SlotAndToken;
	/** Aborts when the time for the answer is over, or when the execution is cancelled. */
	endSignal: AbortSignal;
	failure?: never;
}

/** A request with its response, or why there is none. */
type SentRequest =
	| AnsweredRequest
	| {
			response?: never;
			slotAndToken?: SlotAndToken | undefined;
			endSignal?: never;
			failure: Failure;
	  };

/** Sends a request once, through n8n's helper, and tells the limiter how it was answered. */
async function sendOnce<T>(
	{ account, credential, queue, waitDeadline: deadline, signal, send }: Client,
	request: DocumentRequest<T>,
	timeoutMs: number,
	jumpsQueue: boolean,
): Promise<SentRequest> {
	const { path, subject } = request;
	const { limiter, settings } = account;
	const options = {
		...STREAMED,
		method: 'GET',
		url: settings.baseUrl + path,
		headers: { Accept: 'application/json' },
		// Later than the request's own signal, which knows the reason.
		timeout: timeoutMs + SECOND_MS,
	} as const;
	const { slotAndToken, endSignal, failure, response, error } = await callHelper(
		{ account, slotRequest: { queue, deadline, signal, jumpsQueue }, timeoutMs },
		credential,
		async (own) => await send({ ...options }, own),
	);
	if (failure) return { failure };
	if (response && slotAndToken && endSignal) {
		reportResponse(account, slotAndToken.slot, response);
		return { response, slotAndToken, endSignal };
	}
	if (slotAndToken) limiter.reportNoAnswer(slotAndToken.slot);
	if (endSignal?.aborted) return { failure: timedOut(subject, timeoutMs), slotAndToken };
	const redact = redactor([settings.password, slotAndToken?.token.value]);
	const failed = describeHelperError(error as HelperError, request, settings.origin, redact);
	return { failure: failed, slotAndToken };
}

/** Reads the answer, if there is one. */
async function readResult<T>(
	{ account: { settings } }: Client,
	request: DocumentRequest<T>,
	{ response, slotAndToken, endSignal, failure }: SentRequest,
	timeoutMs: number,
): Promise<Result<ServiceResponse<T>, Failure>> {
	if (failure) return { failure };
	const secrets = { password: settings.password, token: slotAndToken.token.value };
	const result = await unlessAborted(readResponse(response, request, secrets), endSignal);
	return result ?? { failure: timedOut(request.subject, timeoutMs) };
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
	{ subject }: DocumentRequest<unknown>,
	origin: string,
	redact: Redact,
): Failure {
	return httpCode
		? connectionFailure(httpCode, subject, findProxy(messages.at(-1) ?? message, origin))
		: MESSAGES.connection.notSent(subject, [redact(message), redact(description ?? '')]);
}

/** Adds how often the request was sent, and how long the service asks to wait. */
function addTries(failure: Failure, tries: number, waitMs = 0): Failure {
	const asked = waitMs > 0 ? SENTENCES.waitAsked(waitMs) : '';
	return addNote(failure, asked, tries > 1 ? SENTENCES.sent(tries) : '');
}
