import { MESSAGES, type FailureText } from '../texts/messages';
import type { Redact } from './redact';

/** Why no answer arrived. */
export interface ConnectionFailure extends FailureText {
	cause: string;
	/** Whether the same request may succeed a little later. */
	retryable: boolean;
}

type ConnectionFault = Exclude<keyof typeof MESSAGES.connection, 'notSent'>;

/** By the `code` that Node.js, OpenSSL or axios puts on a failed request. */
const BY_CODE: Record<string, ConnectionFault> = {
	ECONNREFUSED: 'refused',
	ENOTFOUND: 'unknownHost',
	EAI_AGAIN: 'noNameServer',
	ECONNRESET: 'broken',
	EPIPE: 'broken',
	ERR_STREAM_PREMATURE_CLOSE: 'broken',
	ERR_BAD_RESPONSE: 'broken',
	ETIMEDOUT: 'timedOut',
	ECONNABORTED: 'timedOut',
	CERT_HAS_EXPIRED: 'expired',
	ERR_TLS_CERT_ALTNAME_INVALID: 'otherName',
	CERT_NOT_YET_VALID: 'untrusted',
	DEPTH_ZERO_SELF_SIGNED_CERT: 'untrusted',
	SELF_SIGNED_CERT_IN_CHAIN: 'untrusted',
	UNABLE_TO_GET_ISSUER_CERT: 'untrusted',
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted',
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
	EPROTO: 'notHttps',
};

const RETRYABLE: readonly ConnectionFault[] = [
	'refused',
	'noNameServer',
	'unreachable',
	'broken',
	'timedOut',
];

/**
 * The failure of a request that got no answer.
 *
 * @param code that Node.js, OpenSSL or axios gives it.
 * @param subject what the request was about, such as "site 1001".
 */
export function connectionFailure(code: string, subject: string): ConnectionFailure {
	const fault = faultOf(code);
	return {
		...MESSAGES.connection[fault](subject),
		cause: code,
		retryable: RETRYABLE.includes(fault),
	};
}

function faultOf(code: string): ConnectionFault {
	if (Object.hasOwn(BY_CODE, code)) return BY_CODE[code] ?? 'unreachable';
	if (code.startsWith('ERR_SSL_')) return 'notHttps';
	return code.startsWith('HPE_') ? 'notHttp' : 'unreachable';
}

/** What an unsuccessful status means for a login and for documents alike. */
export function statusMessage(
	subject: string,
	statusCode: number,
	{ location }: Record<string, unknown>,
	redact: Redact,
): FailureText {
	if (statusCode === 408) return MESSAGES.status.slowRequest(subject);
	if (statusCode >= 500) return MESSAGES.status.fault(subject, statusCode);
	return statusCode < 400 && typeof location === 'string'
		? MESSAGES.status.redirect(subject, redact(location))
		: MESSAGES.status.other(subject, statusCode);
}
