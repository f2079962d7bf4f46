import { parseUrl } from '../../shared/url';
import { FAILURE, fieldsOf, isObject, SITE, TOKEN, type FieldsSeen } from './fields';
import { shownHeaders } from './headers';
import { probeOf, type ProbeName, type Target } from './probes';
import type { Answer } from './send';
import { describeToken, tokenIn, type TokenSeen } from './token';

/**
 * What is seen of an answer. All of it may be shown in public: numbers, names that docs/service-interface.md has, and words
 * of this program. A report is made of nothing else.
 */
export interface Seen {
	name: ProbeName;
	/** How long the whole answer took. */
	ms: number;
	/** Undefined where there was no answer. */
	status?: number;
	/** Why there is no answer, or no whole one. */
	failure?: string;
	headers: Record<string, string>;
	/** What the body is. */
	content: string;
	/** Whether the body is a JSON object. */
	isObject: boolean;
	fields: FieldsSeen;
	redirect?: 'the same host' | 'another host' | 'no address';
	/** Whether `siteId` is the number that was asked for; undefined where no site was expected or sent. */
	isSiteAskedFor?: boolean;
	token?: TokenSeen;
	/** How far the service's clock is ahead of this machine's. */
	aheadMs?: number;
}

/** When a request was sent, and how long it took, in milliseconds. */
interface Times {
	sentAt: number;
	ms: number;
}

/** @param earlier the tokens of earlier logins. */
export function observe(
	name: ProbeName,
	answer: Answer,
	{ connection, siteId }: Target,
	{ sentAt, ms }: Times,
	earlier: readonly string[],
): Seen {
	const { status, headers, body, failure } = answer;
	const json = isObject(body?.json) ? (body.json as Record<string, unknown>) : undefined;
	const isSuccess = status !== undefined && status >= 200 && status < 300;
	const { isLogin, isUnknownSite } = probeOf(name);
	const shape = isSuccess ? (isLogin ? TOKEN : SITE) : FAILURE;
	const token = isLogin && isSuccess ? tokenIn(json) : undefined;
	const aheadMs = aheadOf(headers.date, sentAt + ms / 2);
	return {
		name,
		ms: Math.round(ms),
		...(status !== undefined && { status }),
		...(failure !== undefined && { failure: describeFailure(failure) }),
		headers: shownHeaders(headers),
		content: describeBody(answer),
		isObject: json !== undefined,
		fields: json ? fieldsOf([json], shape) : { types: {}, others: {} },
		...(status !== undefined &&
			status >= 300 &&
			status < 400 && { redirect: redirectOf(headers.location, connection.origin) }),
		...(isSuccess &&
			!isLogin &&
			!isUnknownSite &&
			json && { isSiteAskedFor: json.siteId === siteId }),
		...(token !== undefined && json && { token: describeToken(token, json, earlier) }),
		...(aheadMs !== undefined && { aheadMs }),
	};
}

const BODY_FAULTS: Record<string, string> = {
	empty: 'empty',
	html: 'HTML or XML',
	malformed: 'not JSON',
	notUtf8: 'not UTF-8',
};

function describeBody({ body }: Answer): string {
	if (!body) return 'none';
	if (body.fault) return BODY_FAULTS[body.fault] ?? 'not JSON';
	if (isObject(body.json)) return 'JSON object';
	return Array.isArray(body.json) ? 'JSON list' : 'another JSON value';
}

function describeFailure(code: string): string {
	if (code === 'TIMEOUT') return 'no whole answer in time';
	if (code === 'TOO_LARGE') return 'the answer is too large';
	const shown = /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : 'cause unknown';
	const isCertificate = /CERT|^UNABLE_TO_/.test(shown);
	return `${isCertificate ? 'the certificate is not accepted' : 'the connection failed'} (${shown})`;
}

function redirectOf(location: unknown, origin: string): NonNullable<Seen['redirect']> {
	const url = typeof location === 'string' ? parseUrl(location, origin) : undefined;
	if (!url) return 'no address';
	return url.origin === origin ? 'the same host' : 'another host';
}

/** @param localMs when the answer was made, by this machine's clock. */
function aheadOf(date: unknown, localMs: number): number | undefined {
	const dateMs = typeof date === 'string' ? Date.parse(date) : NaN;
	// The header has whole seconds.
	return Number.isNaN(dateMs) ? undefined : dateMs + 500 - localMs;
}
