import type { ServiceDocument } from '../../../service/document';
import type { Body } from '../../../service/body';
import { connectionFailure, statusMessage } from '../../../service/failedRequest';
import { MESSAGES, SENTENCES, type FailureText } from '../../../texts/messages';
import { redactJson, type Redact } from '../../../service/redact';
import { causeOfTokenFailure } from '../../../account/tokenFailureCode';

/** What a message says of a document. */
type About = Pick<ServiceDocument<unknown>, 'subject' | 'kind'>;

/** Why a document could not be read, in the words that the user sees. */
export interface Failure extends FailureText {
	/** Status of the service's answer, if there was one. */
	statusCode?: number;
	/** Body of the service's answer, JSON if it is JSON, without secrets. */
	body?: unknown;
	/** Whether the time for the request was over. */
	timedOut?: boolean;
	/** Whether the request was cancelled, so that nothing is known of the document. */
	cancelled?: boolean;
	/** Whether it was not asked for, because its account's budget had no place for it in time. */
	noPlace?: boolean;
	/** Whether the service does not know the document. */
	unknown?: boolean;
	/** Whether every other document will fail for the same cause, so that asking for them is useless. */
	accountWide?: boolean;
	/** Whether the same request may succeed a little later. */
	retryable?: boolean;
	/** How long the service asks to wait, in milliseconds, if it does. */
	waitMs?: number | undefined;
}

/** The cause of a failure, the same in each poll as long as it goes on. */
export function causeOf({ cause, statusCode }: Failure): string {
	return cause ?? String(statusCode ?? '');
}

/** The fields that are used of the error that n8n's helper throws when there was no answer. */
export interface HelperError {
	message: string;
	description?: string | null;
	/** The code of what failed. */
	httpCode?: string | null;
}

export const CANCELLED: Failure = {
	...MESSAGES.limits.cancelled(),
	cancelled: true,
	accountWide: true,
};

/** What an answer with an unsuccessful status means. */
export function documentStatus(
	statusCode: number,
	headers: Record<string, unknown>,
	{ subject, kind }: About,
	redact: Redact,
): FailureText & Pick<Failure, 'unknown'> {
	const { status } = MESSAGES;
	switch (statusCode) {
		case 400:
			return status.badRequest(subject);
		case 401:
			return status.tokenRejected(subject, kind);
		case 403:
			return status.forbidden(subject);
		case 404:
			return { ...status.unknown(subject, kind), unknown: true };
		case 422:
			return status.unprocessable(subject);
		default:
			return statusMessage(subject, statusCode, headers, redact);
	}
}

/**
 * The failure of a request that is not repeated any more, with what was tried and what the service asks for.
 *
 * @param waitMs how long the service asks to wait, in milliseconds.
 */
export function lastFailure(
	failure: Failure,
	{ count, longestPauseMs }: { count: number; longestPauseMs: number },
	waitMs = 0,
): Failure {
	const sentences = [
		...(waitMs > 0 ? [SENTENCES.waitAsked(waitMs, waitMs > longestPauseMs)] : []),
		failure.description,
		...(count > 1 ? [SENTENCES.sent(count)] : []),
	];
	return { ...failure, description: sentences.join(' ') };
}

/** The failure of a request that ended without an answer: no token, no connection, or n8n refused to send it. */
export function unansweredFailure(
	{ message, description, httpCode }: HelperError,
	subject: string,
	redact: Redact,
): Failure {
	const cause = causeOfTokenFailure(httpCode);
	if (cause !== undefined) {
		return { message, description: description ?? '', accountWide: true, cause };
	}
	if (httpCode) return connectionFailure(httpCode, subject);
	return MESSAGES.connection.notSent(subject, [redact(message), redact(description ?? '')]);
}

/** The body of a failed answer in the form in which a person can read it, without secrets. */
export function readableBody({ text, json, fault }: Body, redact: Redact): unknown {
	const MAX_READABLE_CHARACTERS = 10_000;
	if (fault === undefined && text.length <= MAX_READABLE_CHARACTERS) {
		return redactJson(json, redact, text);
	}
	// The end of what is looked at is not shown: a secret that is cut off would not be recognised.
	const begin = redact(text.slice(0, 2 * MAX_READABLE_CHARACTERS));
	const isCutOff = text.length > 2 * MAX_READABLE_CHARACTERS;
	return begin.slice(0, isCutOff ? -MAX_READABLE_CHARACTERS : MAX_READABLE_CHARACTERS);
}
