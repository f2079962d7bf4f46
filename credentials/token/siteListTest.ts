import type { IN8nHttpFullResponse, IHttpRequestHelper } from 'n8n-workflow';
import type { Account } from '../../account/accounts';
import type { IssuedToken } from '../../account/issuedToken';
import type { Place } from '../../account/limit/queue';
import { siteListDocument } from '../../service/siteListAnswer';
import { readBody, type ByteStream } from '../../service/body';
import { statusMessage } from '../../service/failedRequest';
import { MESSAGES, type FailureText } from '../../texts/messages';
import { redactor } from '../../service/redact';
import { isRetryableStatus, retryAfterMs, TOO_MANY_REQUESTS } from '../../service/retry';
import { signed } from './requestHeaders';

type HttpRequest = IHttpRequestHelper['helpers']['httpRequest'];

/**
 * Reads the service's list of sites once, for a credential test.
 *
 * @param place is used for the request.
 * @param timeoutMs until the answer has begun, in milliseconds.
 * @returns what a person can correct: the address, or that there are no sites. Anything else may be over when the list is needed.
 */
export async function testSiteList(
	httpRequest: HttpRequest,
	{ connection, budget }: Account,
	token: IssuedToken,
	place: Place,
	timeoutMs: number,
): Promise<FailureText | undefined> {
	const redact = redactor([token.value, connection.password]);
	const { path, subject, check } = siteListDocument(connection.siteListPath ?? '');
	const fault = (text: FailureText) =>
		MESSAGES.siteList.untestable(MESSAGES.siteList.unread(text, true));
	try {
		const request = signed(
			{ method: 'GET', url: connection.baseUrl + path, headers: { Accept: 'application/json' } },
			connection,
			token,
		);
		const { statusCode, headers, body } = (await httpRequest({
			...request,
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			timeout: timeoutMs,
			abortSignal: AbortSignal.timeout(timeoutMs),
		})) as IN8nHttpFullResponse;
		if (statusCode === TOO_MANY_REQUESTS) budget.refuse(place, retryAfterMs(headers));
		else budget.accept(place);
		if (statusCode > 299) {
			(body as ByteStream).destroy();
			if (statusCode === 404) return MESSAGES.siteList.untestable(MESSAGES.siteList.unknown());
			if (saysNothing(statusCode)) return undefined;
			return fault(statusMessage(subject, statusCode, headers, redact));
		}
		const { json, fault: unreadable } = await readBody(body as ByteStream);
		if (unreadable) return fault(MESSAGES.answer[unreadable](subject));
		const checked = check(json);
		return checked.fault === undefined
			? undefined
			: fault(MESSAGES.answer.breach(subject, redact(checked.fault)));
	} catch {
		budget.fail(place);
		return undefined;
	}
}

/** Whether a status says nothing of the address. */
function saysNothing(statusCode: number): boolean {
	return [401, 403, TOO_MANY_REQUESTS].includes(statusCode) || isRetryableStatus(statusCode);
}
