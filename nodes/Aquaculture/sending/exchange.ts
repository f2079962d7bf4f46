import type { IHttpRequestHelper, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import type { Slot } from '../limit/queue';
import type { RateLimiter } from '../limit/rateLimiter';
import { MAX_BODY_BYTES, parseBody, type Body } from '../service/body';
import type { Failure, Result, Subject } from '../messages/failure';
import {
	BODY_FAILURES,
	explainHelperError,
	explainInterruption,
	timedOut,
	type HelperError,
} from '../service/requestFailures';
import { TOO_MANY_REQUESTS, type RawAnswer } from '../service/answer';
import { redactor } from '../service/redact';
import { retryAfterMs } from '../service/retry';
import { SECOND_MS, systemClock, timeoutSignal, unlessAborted } from '../utils/time';
import { logDebug } from '../n8n/log';

export type SendHttpRequest = IHttpRequestHelper['helpers']['httpRequest'];

/** n8n's response to a request with {@link baseOptions}. */
export type StreamedResponse = IN8nHttpFullResponse & { body: ByteStream };

/** Such as Node.js's `Readable`. */
interface ByteStream extends AsyncIterable<Uint8Array> {
	destroy(): unknown;
}

interface LimitedAccount {
	limiter: RateLimiter;
	settings: { username: string; origin: string };
}

interface Exchange {
	subject: Subject;
	/** The time for the whole answer, in milliseconds. */
	timeoutMs: number;
	/** Cancels it. */
	signal?: AbortSignal | undefined;
	/** What n8n's helper may repeat in an error. */
	secrets: readonly string[];
	/**
	 * Calls n8n's helper.
	 *
	 * @param endSignal ends the request, in time or when it is cancelled.
	 */
	send(options: Partial<IHttpRequestOptions>, endSignal: AbortSignal): Promise<StreamedResponse>;
}

/**
 * What happens to one request that has a slot? n8n's helper sends it, the limiter learns what came of it, and the body is read to
 * its end or, if it is too large or takes too long, destroyed. Never throws, and ends in time whatever n8n does, so that no slot
 * stays in flight.
 *
 * @returns a failure if the service did not answer.
 */
export async function exchange(
	account: LimitedAccount,
	slot: Slot,
	{ subject, timeoutMs, signal, secrets, send }: Exchange,
): Promise<Result<RawAnswer, Failure>> {
	const timeout = timeoutSignal(timeoutMs);
	const endSignal = signal ? AbortSignal.any([signal, timeout]) : timeout;
	// Also if it is cancelled, but then nobody looks at the reason.
	const tookTooLong = () => ({ failure: timedOut(subject, timeoutMs) });
	const sending = send(baseOptions(timeoutMs), endSignal);
	let response: StreamedResponse | undefined;
	try {
		response = await unlessAborted(sending, endSignal);
	} catch (error) {
		account.limiter.recordUnanswered(slot);
		if (endSignal.aborted) return tookTooLong();
		const { origin } = account.settings;
		return {
			failure: explainHelperError(error as HelperError, subject, origin, redactor(secrets)),
		};
	}
	if (!response) {
		account.limiter.recordUnanswered(slot);
		// It may still come: n8n's older helper ignores the signal.
		sending.then(
			({ body }) => body.destroy(),
			() => undefined,
		);
		return tookTooLong();
	}
	const { statusCode, headers, body: stream } = response;
	recordStatus(account, slot, statusCode, headers);
	const body = await unlessAborted(readBody(stream, subject), endSignal);
	if (!body) stream.destroy();
	return { value: { statusCode, headers, body: body ?? tookTooLong() } };
}

/**
 * Returns the options that each request begins with. They make the body a stream, because n8n's helpers limit neither its size nor
 * the time that it takes. A status other than 2xx is no exception, because after one n8n asks for another token and sends the request
 * again. n8n's timeout is longer than our own, so that ours ends the request first and gives the reason.
 *
 * @param timeoutMs our own timeout.
 */
function baseOptions(timeoutMs: number): Partial<IHttpRequestOptions> {
	return {
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		timeout: timeoutMs + SECOND_MS,
	};
}

function recordStatus(
	{ limiter, settings }: LimitedAccount,
	slot: Slot,
	statusCode: number,
	headers: StreamedResponse['headers'],
): void {
	if (statusCode !== TOO_MANY_REQUESTS) {
		limiter.recordAllowed(slot);
		return;
	}
	const askedMs = retryAfterMs(headers);
	if (limiter.recordRefused(slot, askedMs)) {
		logDebug(settings, 'Rate limited (429), so nothing is sent for now', {
			resumesInMs: Math.round(limiter.describeLimit(slot.queue).delayMs),
			retryAfterMs: askedMs,
			answeredInMs: Math.round(systemClock.now() - slot.sentAt),
		});
	}
}

async function readBody(stream: ByteStream, subject: Subject): Promise<Result<Body, Failure>> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	try {
		for await (const chunk of stream) {
			chunks.push(chunk);
			size += chunk.byteLength;
			if (size > MAX_BODY_BYTES) {
				return { failure: BODY_FAILURES.tooLarge(subject, MAX_BODY_BYTES) };
			}
		}
	} catch (error) {
		const { code = 'ECONNRESET' } = error as { code?: string };
		// zlib: the body is not compressed as its header says.
		return code === 'Z_DATA_ERROR'
			? { value: { text: '', parseError: 'malformed' } }
			: { failure: explainInterruption(code, subject) };
	}
	return { value: parseBody(Buffer.concat(chunks)) };
}
