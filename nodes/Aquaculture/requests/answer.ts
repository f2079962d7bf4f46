import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';
import type { ServiceDocument } from '../../../service/document';
import {
	BodyTooLargeError,
	MAX_BODY_BYTES,
	readBody,
	type Body,
	type ByteStream,
} from '../../../service/body';
import { connectionFailure } from '../../../service/failedRequest';
import { MESSAGES, type FailureText } from '../../../texts/messages';
import { redactJson } from '../../../service/redact';
import { isRetryableStatus, retryAfterMs } from '../../../service/retry';
import { withRemark } from '../../../service/serviceRemark';
import { documentStatus, readableBody, type Failure } from './failure';
import type { Outcome } from './outcome';
import type { Redaction } from './redaction';

/** A successful answer that keeps the contract. */
export interface Answer<T> {
	statusCode: number;
	headers: IDataObject;
	json: T;
}

export function isSuccess({ statusCode }: IN8nHttpFullResponse): boolean {
	return statusCode < 300;
}

/**
 * Reads the service's response to its end and checks it, without the secrets that it may repeat.
 *
 * The body is a stream, because n8n's helper limits neither the size of a body nor the time that it takes: its `timeout` is
 * for silence only (n8n 1.123 and 2.40).
 */
export async function readAnswer<T>(
	response: IN8nHttpFullResponse,
	document: ServiceDocument<T>,
	redaction: Redaction,
): Promise<Outcome<Answer<T>>> {
	return isSuccess(response)
		? await readSuccess(response, document, redaction)
		: { failure: await readFailure(response, document, redaction) };
}

async function readSuccess<T>(
	{ statusCode, headers, body: stream }: IN8nHttpFullResponse,
	{ subject, check }: ServiceDocument<T>,
	{ redact, redactData }: Redaction,
): Promise<Outcome<Answer<T>>> {
	let body: Body;
	try {
		body = await readBody(stream as ByteStream);
	} catch (error) {
		const failure =
			error instanceof BodyTooLargeError
				? { ...MESSAGES.answer.tooLarge(subject, MAX_BODY_BYTES), statusCode }
				: connectionFailure('ECONNRESET', subject);
		return { failure };
	}
	const fail = (text: FailureText) => ({
		failure: { ...text, statusCode, body: readableBody(body, redact) },
	});
	if (body.fault !== undefined) return fail(MESSAGES.answer[body.fault](subject));

	const checked = check(body.json);
	if (checked.fault !== undefined)
		return fail(MESSAGES.answer.breach(subject, redact(checked.fault)));
	return {
		value: {
			statusCode,
			headers: redactJson(headers, redactData) as IDataObject,
			json: redactJson(checked.value, redactData, body.text) as T,
		},
	};
}

async function readFailure(
	{ statusCode, headers, body: stream }: IN8nHttpFullResponse,
	document: ServiceDocument<unknown>,
	{ redact }: Redaction,
): Promise<Failure> {
	const body = await readBody(stream as ByteStream).catch(() => undefined);
	const text = isFromElsewhere(statusCode, body)
		? unknownAddress(document, body)
		: documentStatus(statusCode, headers, document, redact);
	return {
		...text,
		description: withRemark(text.description, body?.json, redact),
		statusCode,
		retryable: isRetryableStatus(statusCode),
		waitMs: retryAfterMs(headers),
		...(body && { body: readableBody(body, redact) }),
	};
}

/** Whether it is a gateway or a web server that answers with 404: the service sends a JSON object, or at least no page. */
function isFromElsewhere(statusCode: number, body: Body | undefined): boolean {
	if (statusCode !== 404 || body?.fault === 'empty') return false;
	return typeof body?.json !== 'object' || body.json === null || Array.isArray(body.json);
}

function unknownAddress(
	{ subject }: ServiceDocument<unknown>,
	body: Body | undefined,
): FailureText {
	return body?.fault === 'html'
		? MESSAGES.answer.html(subject)
		: { ...MESSAGES.status.other(subject, 404), cause: 'elsewhere' };
}
