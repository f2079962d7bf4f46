import { LOGIN, MESSAGES, SENTENCES, type FailureText } from '../messages/messages';
import { shortened } from '../messages/checked';
import type { Redact } from './redact';

/** Why a document could not be read, or a login failed, in the words that the user sees. */
export interface Failure extends FailureText {
	/** Status of the service's answer, if there was one. */
	statusCode?: number;
	/** Body of the service's answer, JSON if it is JSON, without secrets. */
	body?: unknown;
	/** Whether the service does not know the document. */
	unknown?: boolean;
	/** Whether the account has no right to read the document. */
	forbidden?: boolean;
	/** Whether it was not asked for: its account had no place for it in time, or it was cancelled. */
	unasked?: boolean;
	/** Whether every other document will fail for the same cause, so that asking for them is useless. */
	accountWide?: boolean;
	/** Whether the same request may succeed a little later. */
	retryable?: boolean;
	/** How long the service asks to wait, in milliseconds, if it does. */
	waitMs?: number | undefined;
}

/** What an unsuccessful status means, before the service's own words are added. */
export interface StatusText extends FailureText {
	/** What else may help, if that which the description says does not. */
	advice?: string;
}

/** Either a value or the reason why there is none. */
export type Outcome<T> = { value: T; failure?: never } | { value?: never; failure: Failure };

export function cancelled(): Failure {
	return { ...MESSAGES.limits.cancelled(), unasked: true, accountWide: true };
}

/** The cause of a failure, the same in each poll as long as it goes on. */
export function causeOf({ cause, statusCode }: Failure): string {
	return cause ?? String(statusCode ?? '');
}

type ConnectionFault = Exclude<keyof typeof MESSAGES.connection, 'notSent'>;

/** By the `code` that Node.js, OpenSSL or axios puts on a failed request. */
const FAULT_OF_CODE: Readonly<Record<string, ConnectionFault>> = {
	ECONNREFUSED: 'refused',
	ENOTFOUND: 'unknownHost',
	ECONNRESET: 'broken',
	EPIPE: 'broken',
	ERR_STREAM_PREMATURE_CLOSE: 'broken',
	ERR_BAD_RESPONSE: 'broken',
	ERR_TLS_CERT_ALTNAME_INVALID: 'untrusted',
	DEPTH_ZERO_SELF_SIGNED_CERT: 'untrusted',
	SELF_SIGNED_CERT_IN_CHAIN: 'untrusted',
	UNABLE_TO_GET_ISSUER_CERT: 'untrusted',
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted',
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
	EPROTO: 'notHttps',
	// Something answers that does not speak HTTP.
	HPE_INVALID_CONSTANT: 'notHttp',
};

/** The failure of a request that got no answer. */
export function connectionFailure(code: string, subject: string): Failure {
	const fault = faultOf(code, subject);
	const retryable = ['refused', 'unreachable', 'broken'].includes(fault);
	return { ...MESSAGES.connection[fault](subject, code), cause: code, retryable };
}

function faultOf(code: string, subject: string): ConnectionFault {
	// After a login that worked, something speaks HTTP there.
	if (code.startsWith('HPE_') && subject !== LOGIN) return 'brokenRules';
	if (Object.hasOwn(FAULT_OF_CODE, code)) return FAULT_OF_CODE[code] ?? 'unreachable';
	if (code.startsWith('CERT_')) return 'untrusted';
	if (code.startsWith('ERR_SSL_')) return 'notHttps';
	// The HTTP parser of Node.js has found a fault in the answer.
	return code.startsWith('HPE_') ? 'brokenRules' : 'unreachable';
}

/** What an unsuccessful status means for a login and for documents alike. */
export function statusMessage(
	subject: string,
	statusCode: number,
	{ location }: Record<string, unknown>,
	redact: Redact,
): StatusText {
	if (statusCode === 408 || statusCode >= 500) return MESSAGES.status.fault(subject, statusCode);
	return statusCode < 400 && typeof location === 'string'
		? MESSAGES.status.redirect(subject, redact(location))
		: MESSAGES.status.other(subject, statusCode);
}

/** What an unsuccessful status means for a document. */
export function documentStatus(
	statusCode: number,
	headers: Record<string, unknown>,
	subject: string,
	redact: Redact,
): StatusText & Pick<Failure, 'unknown' | 'forbidden'> {
	const { status } = MESSAGES;
	if (statusCode === 400) return status.badRequest(subject);
	if (statusCode === 401) return status.tokenRejected(subject);
	if (statusCode === 403) return { ...status.forbidden(subject), forbidden: true };
	if (statusCode === 404) return { ...status.unknown(subject), unknown: true };
	if (statusCode === 422) return status.unprocessable(subject);
	return statusMessage(subject, statusCode, headers, redact);
}

/**
 * A failure with what the service says in the body of an unsuccessful answer: `code`, `message` and `traceId`, each a
 * text, any of which may be missing (docs/service-interface.md, "Errors, body"). People read first what to do, then that,
 * then what else may help, and the trace ID last.
 */
export function withRemark<Text extends StatusText>(
	{ advice, ...text }: Text,
	body: unknown,
	redact: Redact,
): Omit<Text, 'advice'> {
	const { said, traceId } = remarkIn(body, redact);
	const sentences = [text.description, said && SENTENCES.serviceSays(said), advice];
	return {
		...text,
		description: sentences.filter(Boolean).join(' '),
		...(traceId && { traceId }),
	};
}

/** What the service says in a body; empty if it says nothing. */
export function remarkIn(body: unknown, redact: Redact): { said: string; traceId: string } {
	const { code, message, traceId } = (body ?? {}) as Record<string, unknown>;
	const lineOf = (value: unknown, maxCharacters: number) => {
		// Before the text is cut or changed: part of a secret would not be recognised.
		const line = typeof value === 'string' ? redact(value).replace(/\s+/g, ' ').trim() : '';
		return shortened(line, maxCharacters);
	};
	return { said: lineOf(message, 300) || lineOf(code, 100), traceId: lineOf(traceId, 100) };
}
