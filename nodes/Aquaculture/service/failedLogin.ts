import { MESSAGES } from '../messages/messages';
import { LOGIN } from '../messages/subject';
import type { Result } from '../utils/result';
import { BodyTooLargeError, MAX_BODY_BYTES, type Body } from './body';
import { DEFAULT_VERSION_HEADER } from './constants';
import {
	addServiceMessage,
	connectionFailure,
	describeStatus,
	findProxy,
	PROXY_LOGIN_REQUIRED,
	readServiceMessage,
	type Failure,
	type FailureKind,
	type StatusText,
} from './failures';
import { redactor } from './redact';
import { retryAfterMs } from './retryAfter';
import { isRetryableStatus } from './status';
import { estimateExpiry, parseToken, type AccessToken } from './token';

/** What a login was sent with. */
interface LoginSettings {
	baseUrl: string;
	origin: string;
	password: string;
	versionHeader: string;
}

/** Reads the token in the body of a successful login. */
export function readToken(
	{ json, parseError }: Body,
	{ password }: LoginSettings,
): Result<AccessToken, Failure> {
	if (parseError) return { failure: MESSAGES.answer[parseError](LOGIN) };
	const token = parseToken(json);
	if (!token) {
		return { failure: addServiceMessage(MESSAGES.login.noToken(), json, redactor([password])) };
	}
	const issuedAt = Date.now();
	const expiresAt = estimateExpiry(token, issuedAt);
	return { value: { value: token.access_token, issuedAt, expiresAt } };
}

/** Explains what an unsuccessful status means for a login. */
export function explainFailedLogin(
	{ statusCode, headers }: { statusCode: number; headers: Record<string, unknown> },
	body: Body | undefined,
	settings: LoginSettings,
): Failure {
	const redact = redactor([settings.password]);
	const { serviceMessage, traceId } = readServiceMessage(body?.json, redact);
	const fail = (text: StatusText, kind?: FailureKind): Failure => ({
		...addServiceMessage(text, body?.json, redact),
		cause: String(statusCode),
		...(kind && { kind }),
		waitMs: retryAfterMs(headers),
	});
	const { login } = MESSAGES;
	if (statusCode < 400 || [PROXY_LOGIN_REQUIRED, 408].includes(statusCode) || statusCode >= 500) {
		const kind = isRetryableStatus(statusCode) ? 'transient' : undefined;
		return fail(describeStatus(LOGIN, statusCode, headers, redact), kind);
	}
	if (statusCode === 404) return fail(login.notFound(settings.baseUrl, settings.origin));
	const refuse = (text: StatusText) => fail(text, 'loginRefused');
	const notFromService = () => refuse(login.notFromService(statusCode, settings.baseUrl));
	if (body?.parseError === 'html') return notFromService();
	const isDefault = settings.versionHeader.toLowerCase() === DEFAULT_VERSION_HEADER.toLowerCase();
	if (/\bversion/i.test(serviceMessage) || (statusCode === 400 && isDefault)) {
		return refuse(login.versionRejected(statusCode, settings, isDefault));
	}
	if (statusCode !== 401 && statusCode !== 403) {
		return refuse(login.otherRefusal(statusCode, settings));
	}
	const isEmpty = body === undefined || body.parseError === 'empty';
	if (!isEmpty && !serviceMessage && !traceId) return notFromService();
	return refuse(statusCode === 401 ? login.refused(settings) : login.forbidden(settings));
}

/** Explains why a login got no answer, or one that is too large. */
export function explainUnansweredLogin(
	error: Error & { code?: unknown },
	{ password, origin }: LoginSettings,
): Failure {
	if (error instanceof BodyTooLargeError) return MESSAGES.answer.tooLarge(LOGIN, MAX_BODY_BYTES);
	return error.code === undefined
		? MESSAGES.connection.notSent(LOGIN, [redactor([password])(error.message)])
		: connectionFailure(String(error.code), LOGIN, findProxy(error.message, origin));
}
