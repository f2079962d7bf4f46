import { logDebug } from '../n8n/log';
import { unlessAborted } from '../utils/abort';
import { cancelled, identifyFailure, type Failure } from '../service/failures';
import { checkAnswer, type ServiceDocument, type ServiceResponse } from '../service/response';
import { isTransient, MAX_TRIES, retryPauseMs } from '../service/retry';
import { showsAcceptedToken, TOO_MANY_REQUESTS } from '../service/status';
import { systemClock } from '../utils/clock';
import { SECOND_MS } from '../utils/time';
import { addNote, SENTENCES } from '../messages/messages';
import type { AccessToken } from '../service/token';
import type { Client } from '../sending/client';
import { sendRequest, type Sent } from '../sending/sendRequest';
import type { Result } from '../utils/result';

export interface TryLimits {
	/** Time for the whole answer to one try, in milliseconds. */
	timeoutMs: number;
	/** Time for all tries and the pauses between them, in milliseconds. Waiting for slots does not count. */
	allTriesMs?: number;
	/** How often to send a request that fails for a transient reason. */
	maxTries?: number | undefined;
}

/**
 * Fetches a document: sends its request until it succeeds, fails for good, or has used up its tries or its time. It never
 * throws.
 *
 * A try ends with an answer, or after its timeout. It may send the request several times, after a 429 or with another token:
 * see {@link sendWithGoodToken}.
 */
export async function fetchDocument<T>(
	{ signal: shared, ...rest }: Client & { signal: AbortSignal },
	document: ServiceDocument<T>,
	{ timeoutMs, allTriesMs = 45 * SECOND_MS, maxTries = MAX_TRIES }: TryLimits,
): Promise<Result<ServiceResponse<T>, Failure>> {
	// Node.js warns of a leak when a signal has more than ten listeners.
	const signal = AbortSignal.any([shared]);
	const client: Client = { ...rest, signal };
	let remainingMs = Math.max(allTriesMs, timeoutMs);
	let bestFailure: Failure | undefined;
	for (let tries = 1; ; tries += 1) {
		const tryMs = Math.min(timeoutMs, remainingMs);
		const sent = await sendWithGoodToken(client, document, tryMs);
		const result = await check(client, document, sent);
		if (signal.aborted) return { failure: cancelled() };
		const { failure } = result;
		if (failure?.kind === 'notSent' && bestFailure) {
			return { failure: addTries(bestFailure, tries - 1) };
		}
		if (!failure || !isTransient(failure)) return result;

		// An answer of the service says more than a later try without an answer.
		if (failure.statusCode !== undefined || !bestFailure) bestFailure = failure;
		const pauseMs = retryPauseMs(tries, failure.waitMs);
		const sentAt = sent.tokenAndSlot?.slot.sentAt ?? systemClock.now();
		remainingMs -= systemClock.now() - sentAt + pauseMs;
		if (tries === maxTries || remainingMs < SECOND_MS) {
			return { failure: addTries(bestFailure, tries, failure.waitMs) };
		}
		await waitToResend(client, document, identifyFailure(failure), pauseMs);
		client.queue.needsAnotherSlot();
	}
}

/**
 * Retry with at most this many other tokens. A second 401 usually ends it, unless yet another token has replaced the current one.
 */
const MAX_FRESH_TOKENS = 3;

/**
 * Sends a request until the answer is neither a 429 nor a 401 that another token may help with. After a 429, the limiter decides
 * when to send it again; only 'Maximum Wait' or the end of the poll ends that. After a 401:
 *
 * 1. `TokenSource.handle401` asks `Relogin` whether a login may help. If so, one is due.
 * 2. `sendRequest` passes on the rejected token. For it, `acquireTokenAndSlot` obtains another one: by that login, or because
 *    another request has logged in meanwhile.
 * 3. If the fresh token is rejected, too, `Relogin` remembers the document, whose 401 then causes no login for a while.
 */
async function sendWithGoodToken(
	client: Client,
	document: ServiceDocument<unknown>,
	timeoutMs: number,
): Promise<Sent> {
	const { queue, account } = client;
	let rejectedToken: AccessToken | undefined;
	let freshTokens = 0;
	for (;;) {
		const sent = await sendRequest(client, document, timeoutMs, rejectedToken);
		if (sent.outcome !== 'answered') return sent;
		const { statusCode } = sent.answer;
		const { token } = sent.tokenAndSlot;
		if (statusCode === 401) {
			const mayReplace = freshTokens < MAX_FRESH_TOKENS;
			if (!mayReplace || !(await mayResend(client, document, token, freshTokens > 0))) return sent;
			rejectedToken = token;
			freshTokens += 1;
		} else if (statusCode !== TOO_MANY_REQUESTS) {
			if (showsAcceptedToken(statusCode)) account.tokens.reportAccepted(token, document.path);
			return sent;
		}
		queue.needsAnotherSlot();
	}
}

/**
 * Waits after a 401, which may mean the token, until it is time for another token.
 *
 * @param isRejectedAgain whether the document was rejected with an earlier token, too.
 * @returns false if another token would not help.
 */
async function mayResend(
	client: Client,
	document: ServiceDocument<unknown>,
	token: AccessToken,
	isRejectedAgain: boolean,
): Promise<boolean> {
	const { tokens } = client.account;
	for (;;) {
		const decision = tokens.handle401(token, document.path, isRejectedAgain);
		if (decision === 'giveUp') return false;
		const waitMs = decision === 'getAnotherToken' ? 0 : decision.waitMs;
		await waitToResend(client, document, '401', waitMs);
		if (decision === 'getAnotherToken' || client.signal?.aborted) return true;
	}
}

async function waitToResend(
	{ account, signal }: Client,
	{ subject }: ServiceDocument<unknown>,
	reason: string,
	waitMs: number,
): Promise<void> {
	logDebug(account.settings, 'Sending a request again', { document: subject.name, reason, waitMs });
	await unlessAborted(systemClock.sleep(waitMs), signal);
}

/** Checks the answer, if there is one. */
async function check<T>(
	{ account: { settings } }: Client,
	document: ServiceDocument<T>,
	sent: Sent,
): Promise<Result<ServiceResponse<T>, Failure>> {
	if (sent.outcome !== 'answered') return { failure: sent.failure };
	const secrets = { password: settings.password, token: sent.tokenAndSlot.token.value };
	return await checkAnswer(sent.answer, document, secrets);
}

/** Adds how often the request was sent, and how long the service asks to wait. */
function addTries(failure: Failure, tries: number, waitMs = 0): Failure {
	const asked = waitMs > 0 ? SENTENCES.waitAsked(waitMs) : '';
	return addNote(failure, asked, tries > 1 ? SENTENCES.sent(tries) : '');
}
