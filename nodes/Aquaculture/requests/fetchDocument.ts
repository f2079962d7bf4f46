import { logDebug } from '../n8n/log';
import type { After401 } from '../login/tokenSource';
import { unlessAborted } from '../utils/abort';
import { cancelled, identifyFailure, type Failure } from '../service/failures';
import { checkAnswer, type ServiceDocument, type ServiceResponse } from '../service/response';
import { MAX_TRIES, retryPauseMs } from '../service/retry';
import { TOO_MANY_REQUESTS } from '../service/status';
import { SECOND_MS } from '../utils/time';
import { addNote, SENTENCES } from '../messages/messages';
import type { AccessToken } from '../service/token';
import type { Client } from './client';
import { sendRequest, type Answered, type Sent } from './sendRequest';
import type { Result } from '../utils/result';

export interface TryLimits {
	/** Time for the whole answer to one try, in milliseconds. */
	timeoutMs: number;
	/** Time for all tries and the pauses between them, in milliseconds. Waiting for slots does not count. */
	allTriesMs?: number;
	/** How often to send a request that fails for a transient reason. */
	maxTries?: number | undefined;
}

/** Retry with this many fresh tokens: the service may revoke one before the request has its slot, but not for ever. */
const MAX_FRESH_TOKENS = 3;

/**
 * Fetches a document: sends its request until it succeeds, fails for good, or has used up its tries or its time. A 429, or a 401
 * that another token may help with, does not count as a try. It never throws.
 */
export async function fetchDocument<T>(
	{ signal: shared, ...rest }: Client,
	document: ServiceDocument<T>,
	{ timeoutMs, allTriesMs = 45 * SECOND_MS, maxTries = MAX_TRIES }: TryLimits,
): Promise<Result<ServiceResponse<T>, Failure>> {
	// Node.js warns of a leak when a signal has more than ten listeners.
	const signal = shared && AbortSignal.any([shared]);
	const client: Client = { ...rest, signal };
	const { queue } = client;
	const { clock, tokens } = client.account;
	let remainingMs = Math.max(allTriesMs, timeoutMs);
	let tries = 0;
	let rejected: AccessToken | undefined;
	let freshTokens = 0;
	let bestFailure: Failure | undefined;
	for (let isResent = false; ; isResent = true) {
		if (isResent) queue.needsAnotherSlot();
		const tryMs = Math.min(timeoutMs, remainingMs);
		const sent = await sendRequest(client, document, tryMs, rejected);
		const statusCode = sent.outcome === 'answered' ? sent.answer.statusCode : undefined;
		if (statusCode === TOO_MANY_REQUESTS) continue;
		if (sent.outcome === 'answered' && statusCode === 401) {
			const mayReplace = freshTokens < MAX_FRESH_TOKENS;
			if (mayReplace && (await replaceToken(client, document, sent, freshTokens > 0))) {
				rejected = sent.slotAndToken.token;
				freshTokens += 1;
				continue;
			}
		} else if (sent.outcome === 'answered') {
			tokens.reportAccepted(sent.slotAndToken.token, document.path);
		}
		const result = await check(client, document, sent, tryMs);
		if (signal?.aborted) return { failure: cancelled() };
		const { failure } = result;
		if (failure?.kind === 'notSent' && bestFailure) return { failure: bestFailure };
		if (sent.outcome === 'refused' && rejected && !failure?.kind) {
			return { failure: addReason(sent.failure, document) };
		}
		if (failure?.kind !== 'transient') return result;

		tries += 1;
		// An answer of the service says more than a later try without an answer.
		if (failure.statusCode !== undefined || !bestFailure) bestFailure = failure;
		const pauseMs = retryPauseMs(tries, failure.waitMs);
		const sentAt = sent.outcome === 'refused' ? undefined : sent.slotAndToken?.slot.sentAt;
		remainingMs -= clock.now() - (sentAt ?? clock.now()) + pauseMs;
		if (tries === maxTries || remainingMs < SECOND_MS) {
			return { failure: addTries(bestFailure, tries, failure.waitMs) };
		}
		await waitToResend(client, document, identifyFailure(failure), pauseMs);
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
	document: ServiceDocument<unknown>,
	{ slotAndToken: { token } }: Answered,
	isFresh: boolean,
): Promise<boolean> {
	const { tokens } = client.account;
	let decision: After401;
	do {
		decision = tokens.handle401(token, document.path, isFresh);
		if (decision === 'giveUp') return false;
		await waitToResend(client, document, '401', decision === 'resend' ? 0 : decision.waitMs);
	} while (decision !== 'resend' && !client.signal?.aborted);
	return true;
}

async function waitToResend(
	{ account, signal }: Client,
	{ subject }: ServiceDocument<unknown>,
	reason: string,
	waitMs: number,
): Promise<void> {
	logDebug(account.settings, 'Sending a request again', { document: subject.name, reason, waitMs });
	await unlessAborted(account.clock.sleep(waitMs), signal);
}

/** Checks the answer, if there is one. */
async function check<T>(
	{ account: { settings } }: Client,
	document: ServiceDocument<T>,
	sent: Sent,
	timeoutMs: number,
): Promise<Result<ServiceResponse<T>, Failure>> {
	if (sent.outcome !== 'answered') return { failure: sent.failure };
	const secrets = { password: settings.password, token: sent.slotAndToken.token.value };
	return await checkAnswer(sent.answer, document, secrets, timeoutMs);
}

/** Adds why n8n has logged in, because other documents may be read with the same token. */
function addReason(failure: Failure, { subject }: ServiceDocument<unknown>): Failure {
	return addNote(failure, SENTENCES.loginAfter401(subject));
}

/** Adds how often the request was sent, and how long the service asks to wait. */
function addTries(failure: Failure, tries: number, waitMs = 0): Failure {
	const asked = waitMs > 0 ? SENTENCES.waitAsked(waitMs) : '';
	return addNote(failure, asked, tries > 1 ? SENTENCES.sent(tries) : '');
}
