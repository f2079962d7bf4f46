import { truncate } from '../utils/text';
import { LOGIN, MESSAGES, SENTENCES, type FailureText } from '../messages/messages';
import { isObject, type Body } from './body';
import type { Redact } from './redact';

/**
 * What a failure means for the requests after it:
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

/** Why a document could not be read, or a login failed, in the words that the user sees. */
export interface Failure extends FailureText {
	/** Status of the service's answer, if there was one. */
	statusCode?: number;
	/** Body of the answer without secrets, parsed if it is JSON. */
	body?: unknown;
	/** Absent if the failure is final and concerns this request alone. */
	kind?: FailureKind | undefined;
	/** How long the service asks to wait, in milliseconds. */
	waitMs?: number | undefined;
}

/** The text for an unsuccessful status, before the service's own words are added. */
export interface StatusText extends FailureText {
	/** What to try if the description does not help. */
	advice?: string;
}

export type Result<T> = { value: T; failure?: never } | { value?: never; failure: Failure };

export function cancelled(): Failure {
	return { ...MESSAGES.limits.cancelled(), kind: 'cancelled' };
}

/** Identifies the cause of a failure: the same in each poll while it continues. */
export function getCause({ cause, statusCode }: Failure): string {
	return cause ?? String(statusCode ?? '');
}

type ConnectionFailureType = Exclude<keyof typeof MESSAGES.connection, 'notSent' | 'proxy'>;

/** The status with which a proxy between n8n and the service asks for a login (RFC 9110, 15.5.8). */
export const PROXY_LOGIN_REQUIRED = 407;

/** By the `code` that Node.js, OpenSSL or axios puts on a failed request. */
const FAILURE_TYPES = new Map<string, ConnectionFailureType>([
	['ECONNREFUSED', 'refused'],
	['ENOTFOUND', 'unknownHost'],
	['ECONNRESET', 'broken'],
	['EPIPE', 'broken'],
	['ERR_STREAM_PREMATURE_CLOSE', 'broken'],
	['ERR_BAD_RESPONSE', 'broken'],
	['CERT_HAS_EXPIRED', 'certificateExpired'],
	['CERT_NOT_YET_VALID', 'certificateNotYetValid'],
	['ERR_TLS_CERT_ALTNAME_INVALID', 'certificateOfOtherHost'],
	['HOSTNAME_MISMATCH', 'certificateOfOtherHost'],
	// What OpenSSL makes of a server that speaks plain HTTP, and Node.js of one that speaks neither.
	['EPROTO', 'notHttps'],
	['ERR_SSL_WRONG_VERSION_NUMBER', 'notHttps'],
	['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'notHttps'],
	['ERR_SSL_HTTP_REQUEST', 'notHttps'],
	['HPE_INVALID_CONSTANT', 'notHttp'],
]);

/** The names that Node.js gives to OpenSSL's other reasons for rejecting a certificate. UNSPECIFIED stands for any. */
const CERTIFICATE_CODE =
	/SELF_SIGNED|^(UNABLE_TO|CERT|CRL)_|^(INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|UNSPECIFIED)$/;

/** Describes a request that got no answer. @param proxy what n8n tried to connect to, if that is not the service. */
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
 * Returns the host, and the port if there is one, that Node.js names at the end of a message such as "connect ECONNREFUSED
 * 10.0.0.7:3128"; undefined if it may be the service's. Only a proxy is another one, since no redirect is followed.
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
	// After a login that worked, something speaks HTTP there.
	if (code.startsWith('HPE_') && subject !== LOGIN) return 'brokenRules';
	const type = FAILURE_TYPES.get(code);
	if (type) return type;
	if (CERTIFICATE_CODE.test(code)) return 'certificateUntrusted';
	if (code.startsWith('ERR_SSL_')) return 'notSecure';
	// Node.js's HTTP parser rejected the answer.
	return code.startsWith('HPE_') ? 'brokenRules' : 'unreachable';
}

/** What is wrong with a status, for logins and documents alike. A proxy's 407 says nothing about the login or document. */
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

/** What is wrong with a status for a document. Gateways and web servers answer with some of them, too. */
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
	if (statusCode === 401) return status.tokenRejected(subject);
	if (statusCode === 403) return { ...status.forbidden(subject), kind: 'forbidden' };
	if (statusCode === 404) {
		// The service itself sends a JSON object, or at least no other text.
		const isOfService = !body || body.parseError === 'empty' || isObject(body.json);
		if (!isOfService) return { ...status.other(subject, statusCode), cause: 'elsewhere' };
		return { ...status.unknown(subject), kind: 'notFound' };
	}
	if (statusCode === 422) return status.unprocessable(subject);
	return describeStatus(subject, statusCode, headers, redact);
}

/**
 * Adds what the service says in the body of an unsuccessful answer (docs/service-interface.md, "Errors, body"). People read
 * first what to do, then the service's words, then what else may help, and the trace ID last.
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

/** Returns what the service says in a body, as empty texts if it says nothing. */
export function readServiceMessage(
	body: unknown,
	redact: Redact,
): { serviceMessage: string; traceId: string } {
	const { code, message, traceId } = (body ?? {}) as Record<string, unknown>;
	const lineOf = (value: unknown, maxCharacters: number) => {
		// Redact before the text is cut or changed: part of a secret would not be recognised.
		const line = typeof value === 'string' ? redact(value).replace(/\s+/g, ' ').trim() : '';
		return truncate(line, maxCharacters);
	};
	return {
		serviceMessage: lineOf(message, 300) || lineOf(code, 100),
		traceId: lineOf(traceId, 100),
	};
}
