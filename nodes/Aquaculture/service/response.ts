import type { Checked } from '../messages/checked';
import { MESSAGES, type FailureText } from '../messages/messages';
import { BodyTooLargeError, MAX_BODY_BYTES, readBody, type Body, type ByteStream } from './body';
import {
	connectionFailure,
	documentStatus,
	withRemark,
	type Failure,
	type Outcome,
	type StatusText,
} from './failures';
import { redactJson, redactor, type Redact } from './redact';
import { isRetryableStatus, retryAfterMs } from './retry';

/** A document of the service. */
export interface ServiceDocument<T> {
	/** Its path under the base URL. */
	path: string;
	/** What it is about, as part of a sentence: "site 1001". */
	subject: string;
	/** Checks a parsed response body; a fault is the end of the sentence "The answer for site 1001 cannot be used: …". */
	check(body: unknown): Checked<T> | Promise<Checked<T>>;
}

/** What comes back of a request: n8n's full response, whose body is a stream. */
interface Response {
	statusCode: number;
	/** By lower-case name. */
	headers: Record<string, unknown>;
	body: unknown;
}

/** A successful answer that keeps the contract. */
export interface Answer<T> {
	statusCode: number;
	headers: Record<string, unknown>;
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
	response: Response,
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
	{ statusCode, headers }: Response,
	subject: string,
	read: ReadBody,
	redact: Redact,
): Failure {
	const body = typeof read === 'string' ? undefined : read;
	const text =
		textFromElsewhere(statusCode, subject, body) ??
		documentStatus(statusCode, headers, subject, redact);
	return {
		...withRemark(text, body?.json, redact),
		statusCode,
		retryable: isRetryableStatus(statusCode),
		waitMs: retryAfterMs(headers),
		...(body && { body: readable(body, redact) }),
	};
}

async function checkedAnswer<T>(
	{ statusCode, headers }: Response,
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
		// Some services answer with status 200 and say in the body what failed.
		const breach = MESSAGES.answer.breach(subject, redact(checked.fault));
		return fail(withRemark(breach, body.json, redact));
	}
	const json = redactJson(checked.value, redactData, body.text) as T;
	const kept = redactJson(headers, redactData) as Answer<T>['headers'];
	return { value: { statusCode, headers: kept, json } };
}

/** Statuses with which gateways, proxies and web servers answer as well. */
const ALSO_OF_OTHERS = [401, 403, 404, 407];

/** The text if it was not the service that has answered, which sends a JSON object, or at least no page. */
function textFromElsewhere(
	statusCode: number,
	subject: string,
	body: Body | undefined,
): StatusText | undefined {
	if (!ALSO_OF_OTHERS.includes(statusCode)) return undefined;
	if (body?.fault === 'html') return MESSAGES.answer.html(subject);
	if (statusCode !== 404 || body?.fault === 'empty' || isObject(body?.json)) return undefined;
	return { ...MESSAGES.status.other(subject, 404), cause: 'elsewhere' };
}

function isObject(json: unknown): boolean {
	return typeof json === 'object' && json !== null && !Array.isArray(json);
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
