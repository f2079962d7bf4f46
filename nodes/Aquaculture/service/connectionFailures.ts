import { MESSAGES } from '../messages/messages';
import { LOGIN, type Subject } from '../messages/subject';
import type { Failure } from './failures';
import { redactor } from './redact';

/** Codes of Node.js, OpenSSL and axios by cause. All others mean that the service could not be reached. */
const CONNECTION_FAILURES = [
	['broken', /^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|ERR_BAD_RESPONSE)$/],
	[
		'certificate',
		/SELF_SIGNED|^(UNABLE_TO|CERT|CRL)_|ALTNAME|^(HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|UNSPECIFIED)$/,
	],
	['protocol', /^(EPROTO$|ERR_SSL_|HPE_)/],
] as const;

/**
 * Describes why a request got no answer.
 *
 * @param error its code, and its message in the words of Node.js.
 * @param origin of the service.
 */
export function connectionFailure(
	{ code, message }: { code: string; message: string },
	subject: Subject,
	origin: string,
): Failure {
	const proxy = findProxy(message, origin);
	if (proxy !== undefined) {
		return { ...MESSAGES.connection.proxy(subject, proxy), kind: 'transient' };
	}
	const [type] = CONNECTION_FAILURES.find(([, codes]) => codes.test(code)) ?? ['unreachable'];
	const isTransient = type === 'broken' || type === 'unreachable';
	return {
		...MESSAGES.connection[type](subject, code),
		failureKey: code,
		...(isTransient && { kind: 'transient' as const }),
	};
}

/** Describes why the body of an answer ended early. */
export function interruptedAnswer(code: string, subject: Subject): Failure {
	return { ...MESSAGES.connection.broken(subject, code), failureKey: code, kind: 'transient' };
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

/** Explains why a login got no answer. */
export function explainUnansweredLogin(
	error: Error & { code?: unknown },
	{ password, origin }: { password: string; origin: string },
): Failure {
	if (error.code === undefined) {
		return MESSAGES.connection.helperFailed(LOGIN, [redactor([password])(error.message)]);
	}
	const { message } = error;
	return connectionFailure({ code: String(error.code), message }, LOGIN, origin);
}
