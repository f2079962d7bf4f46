import { truncate } from '../utils/text';
import type { Redact } from './redact';

/** What the service says in the body of an unsuccessful answer. */
export interface ServiceMessage {
	serviceMessage?: string;
	traceId?: string;
}

/**
 * Reads the documented body of an unsuccessful answer: `message` is for people, `code` for programs, and `traceId` identifies the
 * request for the operator. A web server or a proxy may send any other body.
 */
export function readServiceMessage(body: unknown, redact: Redact): ServiceMessage {
	const { code, message, traceId: id } = (body ?? {}) as Record<string, unknown>;
	const toLine = (value: unknown, maxCharacters: number) => {
		// Redact before the text is cut or changed: part of a secret would not be recognised.
		const line = typeof value === 'string' ? redact(value).replace(/\s+/g, ' ').trim() : '';
		return truncate(line, maxCharacters);
	};
	const serviceMessage = toLine(message, 300) || toLine(code, 100);
	const traceId = toLine(id, 100);
	return { ...(serviceMessage && { serviceMessage }), ...(traceId && { traceId }) };
}
