import type { IHttpRequestHelper, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import type { ByteStream } from '../service/body';
import { retryAfterMs } from '../service/retry';
import { TOO_MANY_REQUESTS } from '../service/status';
import type { Account } from './account';
import { logDebug } from '../n8n/log';
import type { Slot } from '../limit/queue';

export type SendHttpRequest = IHttpRequestHelper['helpers']['httpRequest'];

export type StreamedResponse = IN8nHttpFullResponse & { body: ByteStream };

/**
 * Options of all requests. They make the body a stream, because n8n's helper limits neither its size nor its time. A status other
 * than 2xx is no exception, because after one n8n asks for another token and sends the request again.
 */
export const STREAMED = {
	encoding: 'stream',
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
} satisfies Partial<IHttpRequestOptions>;

/**
 * Tells the limiter how the service has answered, and discards the body of a 429.
 *
 * @returns false for a 429: the request may be sent again in another slot.
 */
export function reportResponse(account: Account, slot: Slot, response: StreamedResponse): boolean {
	const { limiter, clock } = account;
	if (response.statusCode !== TOO_MANY_REQUESTS) {
		limiter.reportAllowed(slot);
		return true;
	}
	response.body.destroy();
	const askedMs = retryAfterMs(response.headers);
	if (limiter.reportRateLimited(slot, askedMs)) {
		logDebug(account.settings, 'Rate limited (429), so nothing is sent for now', {
			resumesInMs: Math.round(limiter.describeLimit(slot.queue).delayMs),
			retryAfterMs: askedMs,
			answeredInMs: Math.round(clock.now() - slot.sentAt),
		});
	}
	return false;
}
