import type { IHttpRequestHelper, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import type { Slot } from '../limit/queue';
import type { RateLimiter } from '../limit/rateLimiter';
import { parseBody, type Body } from '../service/body';
import { BODY_FAILURES } from '../service/bodyFailures';
import { type Subject, type Failure, type Result } from '../messages/failure';
import { explainInterruption, timedOut } from '../service/noAnswerFailures';
import type { RawAnswer } from '../service/answer';
import { retryAfterMs } from '../service/retry';
import { TOO_MANY_REQUESTS } from '../service/statusFailures';
import { unlessAborted, systemClock, SECOND_MS } from '../utils/time';
import { logDebug } from '../n8n/log';

/** A site with ten thousand units has about a tenth of this size. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

export type SendHttpRequest = IHttpRequestHelper['helpers']['httpRequest'];

/**
 * Returns options of all requests. They make the body a stream, because n8n's helpers limit neither its size nor the time that it
 * takes. A status other than 2xx is no exception, because after one n8n asks for another token and sends the request again. n8n's
 * timeout is longer than our own, so that ours ends the request first and gives the reason.
 *
 * @param timeoutMs our own timeout.
 */
export function streamed(timeoutMs: number): Partial<IHttpRequestOptions> {
	return {
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		timeout: timeoutMs + SECOND_MS,
	};
}

/** n8n's response to a request with {@link streamed} options. */
export type StreamedResponse = IN8nHttpFullResponse & { body: ByteStream };

/** Such as Node.js's `Readable`. */
interface ByteStream extends AsyncIterable<Uint8Array> {
	destroy(): unknown;
}

interface LimitedAccount {
	limiter: RateLimiter;
	settings: { username: string; origin: string };
}

interface Expected {
	subject: Subject;
	/** The time for the whole answer, in milliseconds. */
	timeoutMs: number;
	/** Aborts when this time is over. */
	endSignal: AbortSignal;
}

/**
 * Tells the limiter how the service has answered, then reads the body to its end or, if it is too large or takes too long,
 * destroys it. Nothing else handles the stream. Never throws.
 */
export async function receiveAnswer(
	{ statusCode, headers, body: stream }: StreamedResponse,
	account: LimitedAccount,
	slot: Slot,
	{ subject, timeoutMs, endSignal }: Expected,
): Promise<RawAnswer> {
	reportStatus(account, slot, statusCode, headers);
	const body = await unlessAborted(readBody(stream, subject), endSignal);
	if (body) return { statusCode, headers, body };
	stream.destroy();
	return { statusCode, headers, body: { failure: timedOut(subject, timeoutMs) } };
}

function reportStatus(
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
