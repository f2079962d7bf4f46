import { randomBytes } from 'node:crypto';
import { STATUS_CODES } from 'node:http';

/** Body of an unsuccessful answer, as the operator's page "Errors" shows it. */
export interface PublishedError {
	/** A short identifier for programs. */
	code: string;
	/** For people. */
	message: string;
	/** A `traceparent` of W3C Trace Context, by which the operator's support finds the request. */
	traceId: string;
	/** Of no fixed form. */
	details?: Record<string, unknown>;
}

/** What is known of a failure beyond its status. */
export type Particulars = Partial<Omit<PublishedError, 'traceId'>>;

/** What the page says of each status. */
const MESSAGES: Record<number, string> = {
	400: 'The request was unacceptable, often because a parameter is missing.',
	401: 'No valid authentication was provided.',
	403: 'The identity has no permission to perform the request.',
	404: 'The requested resource does not exist.',
	422: 'The parameters were valid, but the request failed.',
	429: 'Too many requests were sent in too short a time.',
};

/**
 * The published body for a status from 400 on, with a new trace ID.
 *
 * The page shows the form and one code, `entity_not_unique`. The codes and sentences here are the emulator's own:
 * nothing may depend on them.
 */
export function publishedError(status: number, particulars: Particulars = {}): PublishedError {
	const { code = codeOf(status), message = messageOf(status), details } = particulars;
	return { code, message, traceId: newTraceId(), ...(details && { details }) };
}

/** The status in words, such as `not_found`. */
function codeOf(status: number): string {
	const words = STATUS_CODES[status] ?? `Status ${status}`;
	return words.toLowerCase().replaceAll(/\W+/g, '_');
}

function messageOf(status: number): string {
	if (status >= 500) return 'The service could not process the request.';
	return MESSAGES[status] ?? `The request was refused with status ${status}.`;
}

function newTraceId(): string {
	const hex = (bytes: number) => randomBytes(bytes).toString('hex');
	return `00-${hex(16)}-${hex(8)}-01`;
}
