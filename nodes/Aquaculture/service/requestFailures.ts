import { LOGIN, type Failure, type Subject } from '../messages/failure';
import {
	ASK_ADMINISTRATOR,
	capitalise,
	CHECK_BASE_URL,
	plural,
	TRY_LATER,
} from '../messages/phrases';
import { SECOND_MS } from '../utils/time';
import type { Redact } from './redact';

/*
 * Why does a request have no usable answer? It was not sent, it took too long, the connection failed, or the body of a successful
 * answer cannot be used. What other statuses mean stands in `statusFailures.ts`.
 */

/** The failure of a document that was not requested because so many others had failed. */
export function serviceDown(): Failure {
	return {
		message: 'The service seems to be down, so no more requests were sent',
		...TRY_LATER,
		stopsAll: true,
	};
}

/** Hardly ever shown: n8n has a message of its own for an execution that it ended. */
export function cancelled(): Failure {
	return {
		message: 'The execution ended before the service answered',
		description: 'Run the workflow again.',
		kind: 'cancelled',
		stopsAll: true,
	};
}

/** @param timeoutMs the time that was allowed. */
export function timedOut(subject: Subject, timeoutMs: number): Failure {
	const isLogin = subject === LOGIN;
	return {
		message: `${capitalise(subject.name)} took longer than ${plural(Math.ceil(timeoutMs / SECOND_MS), 'second')}`,
		...(isLogin
			? TRY_LATER
			: { description: "Try again, or raise 'Timeout (Seconds)' under Options." }),
		isTransient: true,
	};
}

/** The error of n8n's helper. */
export interface HelperError {
	message: string;
	/** The code of Node.js, OpenSSL or axios, if the helper is n8n's older one. */
	code?: unknown;
	/** The same if it is the newer one. */
	httpCode?: string | null;
	/** The messages that the newer one replaced with its own. */
	messages?: string[];
	description?: string | null;
}

/** Explains an error of n8n's helper. @param origin of the service. */
export function explainHelperError(
	{ message, code, httpCode, messages = [], description }: HelperError,
	subject: Subject,
	origin: string,
	redact: Redact,
): Failure {
	const anyCode = httpCode ?? code;
	return anyCode
		? explainConnection(String(anyCode), messages.at(-1) ?? message, subject, origin)
		: helperFailed(subject, [redact(message), redact(description ?? '')]);
}

/** n8n refused to send the request. @param reasons in n8n's words. */
export function helperFailed(subject: Subject, reasons: readonly string[]): Failure {
	return {
		message: `n8n did not send ${subject.request}`,
		description: reasons
			.filter((reason) => reason !== '')
			.map((reason) => (/[.!?]$/.test(reason) ? reason : `${reason}.`))
			.join(' '),
	};
}

/** Explains why the body of an answer ended early. */
export function explainInterruption(code: string, subject: Subject): Failure {
	return CONNECTION_FAILURES.broken(subject, code);
}

function explainConnection(
	code: string,
	message: string,
	subject: Subject,
	origin: string,
): Failure {
	const proxy = findProxy(message, origin);
	if (proxy !== undefined) return CONNECTION_FAILURES.proxy(subject, proxy);
	const [type] = CODES.find(([, codes]) => codes.test(code)) ?? ['unreachable'];
	return CONNECTION_FAILURES[type](subject, code);
}

/**
 * Returns the host and port in a message of Node.js, such as "connect ECONNREFUSED 10.0.0.7:3128"; undefined if they may be the
 * service's. Another host can only be a proxy, because no redirect is followed.
 */
function findProxy(message: string, origin: string): string | undefined {
	// Node.js adds this machine's address if the network is unreachable.
	const pattern = /\b(?:connect|getaddrinfo) E[A-Z_]+ (\S+)(?: - Local \(\S*\))?$/;
	const [, named] = pattern.exec(message) ?? [];
	if (named === undefined) return undefined;
	const { protocol, hostname, port } = new URL(origin);
	const servicePort = port || (protocol === 'https:' ? '443' : '80');
	const [, namedPort] = /:(\d+)$/.exec(named) ?? [];
	const isService = namedPort === undefined ? named === hostname : namedPort === servicePort;
	return isService ? undefined : named;
}

/** Codes of Node.js, OpenSSL and axios. Any other means that the service could not be reached. */
const CODES = [
	['broken', /^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|ERR_BAD_RESPONSE)$/],
	[
		'certificate',
		/SELF_SIGNED|^(UNABLE_TO|CERT|CRL)_|ALTNAME|^(HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|UNSPECIFIED)$/,
	],
	['protocol', /^(EPROTO$|ERR_SSL_|HPE_)/],
] as const;

/** Messages contain the code, because administrators search for it. */
const CONNECTION_FAILURES = {
	/** @param proxy host and port. */
	proxy: (subject: Subject, proxy: string): Failure => ({
		message: `The proxy ${proxy} could not be reached${subject.consequence}`,
		description: `${ASK_ADMINISTRATOR} whether the proxy works, and whether its address is right: it begins with http://.`,
		note: 'n8n is set up to send requests through it (HTTPS_PROXY or HTTP_PROXY).',
		isTransient: true,
	}),
	unreachable: (subject: Subject, code: string): Failure => ({
		message: `The service could not be reached (${code})${subject.consequence}`,
		description:
			"Try again later, because the service may be down, or check 'Base URL' in the credential.",
		note: 'The machine that runs n8n must reach this address, through its proxy (HTTPS_PROXY) if it uses one.',
		isTransient: true,
	}),
	broken: (subject: Subject, code: string): Failure => ({
		message: `The connection to the service was lost (${code})${subject.consequence}`,
		description: TRY_LATER.description,
		note: 'If this continues, contact the operator of the service, or the administrator of your n8n.',
		isTransient: true,
	}),
	certificate: (subject: Subject, code: string): Failure => ({
		message: `The certificate of the service is not trusted (${code})${subject.consequence}`,
		description: `${ASK_ADMINISTRATOR} to check the clock of its machine and, if your company inspects traffic, to let n8n trust its certificate (NODE_EXTRA_CA_CERTS).`,
		note: 'If neither helps, contact the operator of the service.',
	}),
	/** The other end speaks no HTTP or HTTPS, or not as n8n does. */
	protocol: (subject: Subject, code: string): Failure => ({
		message: `n8n could not communicate with the service (${code})${subject.consequence}`,
		description:
			"Check the beginning (https:// or http://) and the port of 'Base URL' in the credential.",
		note: 'If they are right, give the code in brackets to the administrator of your n8n, or to the operator of the service.',
	}),
};

/** Why the body of a successful answer cannot be used. */
export const BODY_FAILURES = {
	empty: (subject: Subject): Failure => ({
		message: `${subject.answer} is empty`,
		...CHECK_BASE_URL,
	}),
	html: (subject: Subject): Failure => ({
		message: `${subject.answer} is a web page`,
		description:
			"Check 'Base URL' in the credential: it may lead to a website, a login page or a proxy.",
		note: CHECK_BASE_URL.note,
	}),
	malformed: (subject: Subject): Failure => ({
		message: `${subject.answer} is not JSON in UTF-8`,
		description: 'Try again.',
		note: `If that does not help, check 'Base URL' in the credential. ${CHECK_BASE_URL.note}`,
	}),
	tooLarge: (subject: Subject, maxBytes: number): Failure => ({
		message: `${subject.answer} is larger than ${maxBytes / 1024 / 1024} MB`,
		...(subject === LOGIN
			? CHECK_BASE_URL
			: {
					description: 'Contact the operator of the service.',
					note: 'Without its units, the site may be small enough.',
				}),
	}),
	/** @param reason why the document is not accepted: the end of the sentence. */
	unusable: (subject: Subject, reason: string): Failure => ({
		message: `${subject.answer} cannot be used: ${reason}`,
		description:
			"Check 'Data Request Version' in the credential: the service or its interface may have changed.",
		note: CHECK_BASE_URL.note,
	}),
	noToken: (): Failure => ({
		message: 'The answer to the login contains no usable token',
		...CHECK_BASE_URL,
	}),
};
