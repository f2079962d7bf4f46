import { truncate } from '../utils/text';
import { LOGIN, MESSAGES, SENTENCES, type FailureText } from '../messages/messages';
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

export type Result<T> = { value: T; failure?: never } | { value?: never; failure: Failure };

/** @param timeoutMs the time that was allowed. */
export function timedOut(subject: string, timeoutMs: number): Failure {
	return { ...MESSAGES.limits.tookTooLong(subject, timeoutMs), kind: 'transient' };
}

export function cancelled(): Failure {
	return { ...MESSAGES.limits.cancelled(), kind: 'cancelled' };
}

/** Identifies the cause of a failure while it continues from poll to poll. */
export function getCause({ cause, statusCode }: Failure): string {
	return cause ?? String(statusCode ?? '');
}

type ConnectionFailureType = Exclude<keyof typeof MESSAGES.connection, 'notSent' | 'proxy'>;

/** The status with which a proxy between n8n and the service asks for a login (RFC 9110, 15.5.8). */
export const PROXY_LOGIN_REQUIRED = 407;

/** By the `code` that Node.js, OpenSSL or axios sets on the error of a request. */
const FAILURE_TYPES = new Map<string, ConnectionFailureType>([
	['ECONNREFUSED', 'refused'],
	['ENOTFOUND', 'unknownHost'],
	['ECONNRESET', 'broken'],
	['EPIPE', 'broken'],
	['ERR_STREAM_PREMATURE_CLOSE', 'broken'],
	['ERR_BAD_RESPONSE', 'broken'],
	['CERT_HAS_EXPIRED', 'certificateExpired'],
	['CERT_NOT_YET_VALID', 'certificateNotYetValid'],
	['ERR_TLS_CERT_ALTNAME_INVALID', 'certificateHostMismatch'],
	['HOSTNAME_MISMATCH', 'certificateHostMismatch'],
	// OpenSSL's codes for a server that speaks plain HTTP, and the one of Node.js for a server that speaks neither.
	['EPROTO', 'notHttps'],
	['ERR_SSL_WRONG_VERSION_NUMBER', 'notHttps'],
	['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'notHttps'],
	['ERR_SSL_HTTP_REQUEST', 'notHttps'],
	['HPE_INVALID_CONSTANT', 'notHttp'],
]);

/** Node.js's names for OpenSSL's other reasons to reject a certificate. UNSPECIFIED means any of them. */
const CERTIFICATE_CODE =
	/SELF_SIGNED|^(UNABLE_TO|CERT|CRL)_|^(INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|UNSPECIFIED)$/;

/** Describes why a request got no answer. @param proxy the host that n8n tried to connect to, if it is not the service. */
export function connectionFailure(code: string, subject: string, proxy?: string): Failure {
	if (proxy !== undefined) {
		return { ...MESSAGES.connection.proxy(subject, proxy), kind: 'transient' };
	}
	const type = classifyErrorCode(code, subject);
	const isTransient = ['refused', 'unreachable', 'broken'].includes(type);
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

function classifyErrorCode(code: string, subject: string): ConnectionFailureType {
	// The login has succeeded, so the server speaks HTTP.
	if (code.startsWith('HPE_') && subject !== LOGIN) return 'protocolViolation';
	const type = FAILURE_TYPES.get(code);
	if (type) return type;
	if (CERTIFICATE_CODE.test(code)) return 'certificateUntrusted';
	if (code.startsWith('ERR_SSL_')) return 'notSecure';
	// Node.js's HTTP parser rejected the answer.
	return code.startsWith('HPE_') ? 'protocolViolation' : 'unreachable';
}

/** Describes an unsuccessful status of a login or a document. */
export function describeStatus(
	subject: string,
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
	subject: string,
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
