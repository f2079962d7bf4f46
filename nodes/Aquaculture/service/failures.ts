import { truncate } from '../utils/text';
import { MESSAGES, SENTENCES, type FailureText } from '../messages/messages';
import type { Subject } from '../messages/subject';
import { isObject, type Body } from './body';
import type { Redact } from './redact';

/**
 * What a failure means for other requests:
 *
 * - `notSent`: the request got no slot in time.
 * - `cancelled`: the execution or poll ended, so nothing more is sent.
 * - `account`: every other request of the account would fail for the same reason.
 * - `loginRefused`: the service refused username and password, and repeating the login could lock the account.
 * - `transient`: the same request may succeed a little later.
 * - `notFound`: the service does not know the document.
 * - `forbidden`: the account has no right to read the document.
 */
export type FailureKind =
	| 'notSent'
	| 'cancelled'
	| 'account'
	| 'loginRefused'
	| 'transient'
	| 'notFound'
	| 'forbidden';

/** Why a document could not be read, or a login failed, in the words that people read. */
export interface Failure extends FailureText {
	/** Status of the service's answer, if there was one. */
	statusCode?: number;
	/** Body of the answer without secrets, parsed if it is JSON. */
	body?: unknown;
	/** Absent if the failure is final and concerns only this request. */
	kind?: FailureKind | undefined;
	/** How long the service asks to wait, in milliseconds. */
	waitMs?: number | undefined;
}

/** The text for an unsuccessful status, before the service's own words are added. */
export interface StatusText extends FailureText {
	/** What to try next if the description does not help. */
	advice?: string;
}

/** @param timeoutMs the time that was allowed. */
export function timedOut(subject: Subject, timeoutMs: number): Failure {
	return { ...MESSAGES.limits.tookTooLong(subject, timeoutMs), kind: 'transient' };
}

export function cancelled(): Failure {
	return { ...MESSAGES.limits.cancelled(), kind: 'cancelled' };
}

/** Identifies the cause of a failure while it continues from poll to poll. */
export function getCause({ cause, statusCode }: Failure): string {
	return cause ?? String(statusCode ?? '');
}

/** The status with which a proxy between n8n and the service asks for a login (RFC 9110, 15.5.8). */
export const PROXY_LOGIN_REQUIRED = 407;

/** Which codes of Node.js, OpenSSL and axios mean what. Any other one means that the service could not be reached. */
const CONNECTION_FAILURES = [
	['broken', /^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|ERR_BAD_RESPONSE)$/],
	[
		'certificate',
		/SELF_SIGNED|^(UNABLE_TO|CERT|CRL)_|ALTNAME|^(HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|UNSPECIFIED)$/,
	],
	['protocol', /^(EPROTO$|ERR_SSL_|HPE_)/],
] as const;

/** Describes why a request got no answer. @param proxy the host that n8n tried to connect to, if it is not the service. */
export function connectionFailure(code: string, subject: Subject, proxy?: string): Failure {
	if (proxy !== undefined) {
		return { ...MESSAGES.connection.proxy(subject, proxy), kind: 'transient' };
	}
	const [type] = CONNECTION_FAILURES.find(([, codes]) => codes.test(code)) ?? ['unreachable'];
	// A host name that does not exist is a mistake in the address.
	const isTransient = type === 'broken' || (type === 'unreachable' && code !== 'ENOTFOUND');
	return {
		...MESSAGES.connection[type](subject, code),
		cause: code,
		...(isTransient && { kind: 'transient' as const }),
	};
}

/**
 * Returns the host and port at the end of a message of Node.js, such as "connect ECONNREFUSED 10.0.0.7:3128"; undefined if they
 * may be the service's. Another host can only be a proxy, because no redirect is followed.
 */
export function findProxy(message: string, origin: string): string | undefined {
	const [, named] = /\b(?:connect|getaddrinfo) E[A-Z_]+ (\S+)$/.exec(message) ?? [];
	if (named === undefined) return undefined;
	const { protocol, hostname, port } = new URL(origin);
	const servicePort = port || (protocol === 'https:' ? '443' : '80');
	const [, namedPort] = /:(\d+)$/.exec(named) ?? [];
	const isService = namedPort === undefined ? named === hostname : namedPort === servicePort;
	return isService ? undefined : named;
}

/** Describes an unsuccessful status of a login or a document. */
export function describeStatus(
	subject: Subject,
	statusCode: number,
	{ location }: Record<string, unknown>,
	redact: Redact,
): StatusText & Pick<Failure, 'kind'> {
	const { status } = MESSAGES;
	if (statusCode === PROXY_LOGIN_REQUIRED) return { ...status.proxyLogin(), kind: 'account' };
	if (statusCode === 408 || statusCode >= 500) return status.serverError(subject, statusCode);
	return statusCode < 400 && typeof location === 'string'
		? status.redirect(subject, redact(location))
		: status.other(subject, statusCode);
}

/** Describes an unsuccessful status of a document. It may come from a gateway or a web server instead of the service. */
export function describeDocumentStatus(
	statusCode: number,
	headers: Record<string, unknown>,
	subject: Subject,
	body: Body | undefined,
	redact: Redact,
): StatusText & Pick<Failure, 'kind'> {
	const { answer, status } = MESSAGES;
	if ([401, 403, 404].includes(statusCode) && body?.parseError === 'html')
		return answer.html(subject);
	if (statusCode === 400) return status.badRequest(subject);
	if (statusCode === 401) return status.unauthorized(subject);
	if (statusCode === 403) return { ...status.forbidden(subject), kind: 'forbidden' };
	if (statusCode === 404) {
		// The service sends a JSON object, or at least nothing else.
		const isFromService = !body || body.parseError === 'empty' || isObject(body.json);
		if (!isFromService) return { ...status.other(subject, statusCode), cause: 'elsewhere' };
		return { ...status.unknown(subject), kind: 'notFound' };
	}
	if (statusCode === 422) return status.unprocessable(subject);
	return describeStatus(subject, statusCode, headers, redact);
}

/**
 * Adds what the service says in the body of an unsuccessful answer (docs/service-interface.md, "Errors, body"). What to do comes
 * first, then what the service says, then the advice, and the trace ID last.
 */
export function addServiceMessage<Text extends StatusText>(
	{ advice, ...text }: Text,
	body: unknown,
	redact: Redact,
): Omit<Text, 'advice'> & Pick<FailureText, 'serviceMessage' | 'remedy'> {
	const { serviceMessage, traceId } = readServiceMessage(body, redact);
	const sentences = [
		text.description,
		serviceMessage && SENTENCES.serviceSays(serviceMessage),
		advice,
	];
	return {
		...text,
		description: sentences.filter(Boolean).join(' '),
		...(serviceMessage && {
			serviceMessage,
			remedy: [text.description, advice].filter(Boolean).join(' '),
		}),
		...(traceId && { traceId }),
	};
}

/** Returns what the service says in a body; empty texts if it says nothing. */
export function readServiceMessage(
	body: unknown,
	redact: Redact,
): { serviceMessage: string; traceId: string } {
	const { code, message, traceId } = (body ?? {}) as Record<string, unknown>;
	const toLine = (value: unknown, maxCharacters: number) => {
		// Redact before the text is cut or changed: part of a secret would not be recognised.
		const line = typeof value === 'string' ? redact(value).replace(/\s+/g, ' ').trim() : '';
		return truncate(line, maxCharacters);
	};
	return {
		serviceMessage: toLine(message, 300) || toLine(code, 100),
		traceId: toLine(traceId, 100),
	};
}
