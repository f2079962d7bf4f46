import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';
import {
	BodyTooLargeError,
	MAX_BODY_BYTES,
	readBody,
	type Body,
	type ByteStream,
} from '../../../service/body';
import type { ServiceDocument } from '../../../service/document';
import {
	connectionFailure,
	documentStatus,
	withRemark,
	type Failure,
	type Outcome,
} from '../../../service/failures';
import { redactJson, redactor, type Redact } from '../../../service/redact';
import { isRetryableStatus, retryAfterMs } from '../../../service/retry';
import { MESSAGES, type FailureText } from '../../../texts/messages';

/** A successful answer that keeps the contract. */
export interface Answer<T> {
	statusCode: number;
	headers: IDataObject;
	json: T;
}

/** What an answer may repeat of its request. */
interface Secrets {
	password: string;
	token: string;
}

/**
 * Reads a response to its end and checks it, without the secrets that it may repeat. The body is a stream, because n8n's
 * helper limits neither the size of a body nor the time that it takes (n8n 1.123 and 2.40). It never throws.
 */
export async function readAnswer<T>(
	response: IN8nHttpFullResponse,
	document: ServiceDocument<T>,
	{ password, token }: Secrets,
): Promise<Outcome<Answer<T>>> {
	const redact = redactor([password, token]);
	// A password cannot be told from data: it may be the name of a site.
	const redactData = redactor([token]);
	const { subject } = document;
	try {
		const body = await readBody(response.body as ByteStream).catch((error: unknown) => {
			return error instanceof BodyTooLargeError ? 'tooLarge' : 'brokenOff';
		});
		return response.statusCode > 299
			? { failure: statusFailure(response, subject, body, redact) }
			: await checkedAnswer(response, document, body, redact, redactData);
	} catch (error) {
		const exception = redact((error as Error).message);
		return { failure: MESSAGES.answer.unprocessed(subject, exception) };
	}
}

/** What there is of a body, or why it could not be read to its end. */
type ReadBody = Body | 'tooLarge' | 'brokenOff';

/** What the body says only adds to the status. */
function statusFailure(
	{ statusCode, headers }: IN8nHttpFullResponse,
	subject: string,
	read: ReadBody,
	redact: Redact,
): Failure {
	const body = typeof read === 'string' ? undefined : read;
	const text = isFromElsewhere(statusCode, body)
		? unknownAddress(subject, body)
		: documentStatus(statusCode, headers, subject, redact);
	return {
		...withRemark(text, body?.json, redact),
		statusCode,
		retryable: isRetryableStatus(statusCode),
		waitMs: retryAfterMs(headers),
		...(body && { body: readable(body, redact) }),
	};
}

async function checkedAnswer<T>(
	{ statusCode, headers }: IN8nHttpFullResponse,
	{ subject, check }: ServiceDocument<T>,
	body: ReadBody,
	redact: Redact,
	redactData: Redact,
): Promise<Outcome<Answer<T>>> {
	if (body === 'tooLarge') {
		return { failure: { ...MESSAGES.answer.tooLarge(subject, MAX_BODY_BYTES), statusCode } };
	}
	if (body === 'brokenOff') return { failure: connectionFailure('ECONNRESET', subject) };
	const fail = (text: FailureText) => ({
		failure: { ...text, statusCode, body: readable(body, redact) },
	});
	if (body.fault !== undefined) return fail(MESSAGES.answer[body.fault](subject));
	const checked = await check(body.json);
	if (checked.fault !== undefined) {
		return fail(MESSAGES.answer.breach(subject, redact(checked.fault)));
	}
	const json = redactJson(checked.value, redactData, body.text) as T;
	return { value: { statusCode, headers: redactJson(headers, redactData) as IDataObject, json } };
}

/** Whether it is a gateway or a web server that answers with 404: the service sends a JSON object, or at least no page. */
function isFromElsewhere(statusCode: number, body: Body | undefined): boolean {
	if (statusCode !== 404 || body?.fault === 'empty') return false;
	return typeof body?.json !== 'object' || body.json === null || Array.isArray(body.json);
}

function unknownAddress(subject: string, body: Body | undefined): FailureText {
	return body?.fault === 'html'
		? MESSAGES.answer.html(subject)
		: { ...MESSAGES.status.other(subject, 404), cause: 'elsewhere' };
}

/** The body of a failed answer in the form in which a person can read it, without secrets. */
function readable({ text, json, fault }: Body, redact: Redact): unknown {
	const MAX_CHARACTERS = 10_000;
	if (fault === undefined && text.length <= MAX_CHARACTERS) return redactJson(json, redact, text);
	// The end of what is looked at is not shown: a secret that is cut off would not be recognised.
	const isCutOff = text.length > 2 * MAX_CHARACTERS;
	const begin = redact(text.slice(0, 2 * MAX_CHARACTERS));
	return begin.slice(0, isCutOff ? -MAX_CHARACTERS : MAX_CHARACTERS);
}
