import { BODY_FAILURES } from './requestFailures';
import { type Failure, type Subject, type Result } from '../messages/failure';
import { readServiceMessage, type Body } from './body';
import { redactBody, redactData, redactor, type Redact } from './redact';
import { explainFailedDocument } from './statusFailures';
import type { Invalid } from '../messages/invalid';

/** A document of the service. */
export interface ServiceDocument<T> {
	/** Its path under the base URL. */
	path: string;
	subject: Subject;
	/** Checks a parsed body. A reason ends the sentence "The answer for site 1001 cannot be used: …". */
	check(
		body: unknown,
	): Result<ParsedDocument<T>, Invalid> | Promise<Result<ParsedDocument<T>, Invalid>>;
}

/** A document as the service sent it. */
export interface ParsedDocument<T> {
	json: T;
	deviations: readonly Deviation[];
}

/** A documented field that the service sent with another type, such as a number in quotes. */
export interface Deviation {
	/** Without the index of a list: `units.unitId`. */
	field: string;
	/** Ends a sentence that begins with the field: "is not a number". */
	reason: string;
}

/** An answer of the service. */
export interface RawAnswer {
	statusCode: number;
	/** By lower-case name. */
	headers: Record<string, unknown>;
	/** A failure if it was not read to its end. */
	body: Result<Body, Failure>;
}

/** The account has exceeded its rate, so the request is sent again in a later slot. */
export const TOO_MANY_REQUESTS = 429;

export function isSuccess(statusCode: number): boolean {
	return statusCode >= 200 && statusCode <= 299;
}

/** A successful answer. */
export interface CheckedAnswer<T> extends ParsedDocument<T> {
	statusCode: number;
	headers: Record<string, unknown>;
}

/**
 * Checks an answer.
 *
 * @param secrets it may repeat them.
 */
export async function checkAnswer<T>(
	answer: RawAnswer,
	document: ServiceDocument<T>,
	secrets: { password: string; token: string },
): Promise<Result<CheckedAnswer<T>, Failure>> {
	const { password, token } = secrets;
	const redact = redactor([password, token]);
	const { subject } = document;
	const { statusCode, body } = answer;
	if (!isSuccess(statusCode)) {
		// Its body only adds what the service says, so it may be missing.
		const failure = explainFailedDocument(answer, body.value, subject, redact);
		return {
			failure: { ...failure, ...(body.value && { body: redactBody(body.value, redact) }) },
		};
	}
	if (body.failure) return body;
	return await checkDocument(answer, document, body.value, redact, token);
}

async function checkDocument<T>(
	{ statusCode, headers }: RawAnswer,
	{ subject, check }: ServiceDocument<T>,
	body: Body,
	redact: Redact,
	token: string,
): Promise<Result<CheckedAnswer<T>, Failure>> {
	const fail = (text: Failure) => ({
		failure: { ...text, statusCode, body: redactBody(body, redact) },
	});
	if (body.parseError !== undefined) return fail(BODY_FAILURES[body.parseError](subject));
	const checked = await check(body.json);
	if (checked.failure) {
		const text = BODY_FAILURES.unusable(subject, redact(checked.failure.reason));
		return fail({ ...text, ...readServiceMessage(body.json, redact) });
	}
	const { json, deviations } = checked.value;
	const clean = redactData({ headers, json }, token);
	return { value: { statusCode, ...clean, deviations } };
}
