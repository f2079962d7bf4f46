import { logDebug } from '../n8n/log';
import { unlessAborted, systemClock, MINUTE_MS, SECOND_MS } from '../utils/time';
import { cancelled } from '../service/requestFailures';
import { addNote, type Failure, type Result } from '../messages/failure';
import {
	checkAnswer,
	isSuccess,
	TOO_MANY_REQUESTS,
	type ServiceDocument,
	type CheckedAnswer,
} from '../service/answer';
import { MAX_TRIES, retryPauseMs } from '../service/retry';
import { SENTENCES } from '../messages/phrases';
import type { Client } from '../sending/client';
import { sendRequest, type SendOutcome } from '../sending/sendRequest';

/** How long a document waits in all because the service asks for it (`Retry-After`). */
const MAX_ASKED_MS = MINUTE_MS;
/**
 * How many tokens a document is sent with. Usually, the second 401 ends that. But if another request had the token replaced before this
 * 401 came, it says nothing about the document, and `recordRejected` lets it be sent again.
 */
const MAX_TOKENS = 4;

export interface TryLimits {
	/** Time for the whole answer to one try, in milliseconds. */
	timeoutMs: number;
	/**
	 * Time for all tries and the pauses between them, in milliseconds: `timeoutMs` or more. Waits for slots, or that the service asks
	 * for, do not count.
	 */
	allTriesMs: number;
}

/**
 * Fetches a document: sends its request until it succeeds, fails for good, or has used up its tries or its time. It never throws.
 *
 * A try ends with an answer, or after its timeout. It may send the request several times, after a 429 or with another token:
 * see {@link sendWithGoodToken}.
 */
export async function fetchDocument<T>(
	{ signal: shared, ...rest }: Client & { signal: AbortSignal },
	document: ServiceDocument<T>,
	{ timeoutMs, allTriesMs }: TryLimits,
): Promise<Result<CheckedAnswer<T>, Failure>> {
	// Node.js warns of a leak when a signal has more than ten listeners.
	const signal = AbortSignal.any([shared]);
	const client: Client = { ...rest, signal };
	const time = new DocumentTime(allTriesMs, client.waitDeadline);
	let shown: Failure | undefined;
	for (let tries = 1; ; tries += 1) {
		const tryMs = Math.min(timeoutMs, time.remainingMs);
		const sent = await sendWithGoodToken(client, document, tryMs);
		const result = await check(client, document, sent);
		if (signal.aborted) return { failure: cancelled() };
		const { failure } = result;
		// Why it failed before says more than that it got no slot since.
		if (failure?.kind === 'noSlot' && shown) return { failure: addTries(shown, tries - 1) };
		if (!failure?.isTransient) return result;

		// Show the last answer. If there was none, show the first try: later ones have less time.
		if (failure.statusCode !== undefined || !shown) shown = failure;
		const sentAt = sent.slot?.sentAt ?? systemClock.now();
		const pauseMs = time.nextPauseMs(tries, sentAt, failure.waitMs);
		if (pauseMs === undefined) return { failure: addTries(shown, tries, failure.waitMs) };
		logResend(client, document, failure.message, pauseMs);
		await unlessAborted(systemClock.sleep(pauseMs), signal);
	}
}

/** What is left of the time for a document. */
class DocumentTime {
	private remainingAskedMs = MAX_ASKED_MS;

	/**
	 * @param remainingMs for tries and pauses, without waits that the service asks for.
	 * @param deadline until when requests may wait for slots.
	 */
	constructor(
		public remainingMs: number,
		private readonly deadline = Infinity,
	) {}

	/** Returns how long to wait after a try; undefined if it was the last one. */
	nextPauseMs(tries: number, sentAt: number, askedMs = 0): number | undefined {
		const now = systemClock.now();
		const isAskedTooOften = askedMs > 0 && this.remainingAskedMs === 0;
		// The service may ask for a longer wait, but one more try tells whether it is still down.
		const grantedMs = Math.min(askedMs, this.remainingAskedMs);
		const pauseMs = retryPauseMs(tries, grantedMs);
		this.remainingMs -= now - sentAt + (pauseMs - grantedMs);
		this.remainingAskedMs -= grantedMs;
		const isInTime = now + Math.max(pauseMs, askedMs) < this.deadline;
		const isLast = tries === MAX_TRIES || isAskedTooOften || this.remainingMs < SECOND_MS;
		return isInTime && !isLast ? pauseMs : undefined;
	}
}

/**
 * Sends a request until the answer is neither a 429 nor a 401 that another token may help with: see `login/tokenSource.ts`. After a
 * 429, the limiter decides when to send it again; only 'Maximum Wait' or the end of the poll ends that.
 */
async function sendWithGoodToken(
	client: Client,
	document: ServiceDocument<unknown>,
	timeoutMs: number,
): Promise<SendOutcome> {
	const { tokens } = client.account;
	let rejectedTokens = 0;
	for (;;) {
		const sent = await sendRequest(client, document, timeoutMs);
		if (sent.failure) return sent;
		const { answer, token } = sent;
		if (answer.statusCode === 401) {
			rejectedTokens += 1;
			const mayResend = tokens.recordRejected(token, document.path, rejectedTokens);
			if (rejectedTokens === MAX_TOKENS || !mayResend) return sent;
			logResend(client, document, '401');
		} else if (answer.statusCode !== TOO_MANY_REQUESTS) {
			if (isSuccess(answer.statusCode)) tokens.recordRead(document.path);
			return sent;
		}
	}
}

function logResend(
	{ account }: Client,
	{ subject }: ServiceDocument<unknown>,
	reason: string,
	waitMs = 0,
): void {
	logDebug(account.settings, 'Sending a request again', { document: subject.name, reason, waitMs });
}

/** Checks the answer, if there is one. */
async function check<T>(
	{ account: { settings } }: Client,
	document: ServiceDocument<T>,
	sent: SendOutcome,
): Promise<Result<CheckedAnswer<T>, Failure>> {
	if (sent.failure) return { failure: sent.failure };
	const secrets = { password: settings.password, token: sent.token.value };
	return await checkAnswer(sent.answer, document, secrets);
}

/** Adds how many tries there were, and how long the service asks to wait now. */
function addTries(failure: Failure, tries: number, waitMs?: number): Failure {
	const asked = waitMs ? SENTENCES.waitAsked(waitMs) : '';
	return addNote({ ...failure, waitMs }, asked, tries > 1 ? SENTENCES.sent(tries) : '');
}
