import type { IHttpRequestOptions } from 'n8n-workflow';
import { describeUnread, type Answer } from '../service/answer';
import type { Body } from '../service/body';
import {
	cancelled,
	connectionFailure,
	findProxy,
	PROXY_LOGIN_REQUIRED,
	readServiceMessage,
	describeStatus,
	addServiceMessage,
	timedOut,
	type Failure,
	type FailureKind,
	type StatusText,
} from '../service/failures';
import { redactor } from '../service/redact';
import { timeoutSignal, unlessAborted } from '../utils/abort';
import { retryAfterMs } from '../service/retryAfter';
import { retryPauseMs } from '../service/retryPause';
import { isRetryableStatus, isSuccess, TOO_MANY_REQUESTS } from '../service/status';
import { estimateExpiry, parseToken } from '../service/token';
import { TOKEN_PATH, DEFAULT_VERSION_HEADER } from '../service/constants';
import { MINUTE_MS, SECOND_MS } from '../utils/time';
import { MESSAGES } from '../messages/messages';
import { LOGIN } from '../messages/subject';
import type { Account } from './account';
import { logDebug } from '../n8n/log';
import { Queue, type Slot } from '../limit/queue';
import { QUEUE_KINDS } from '../limit/queueKinds';
import {
	receiveAnswer,
	STREAMED,
	type SendHttpRequest,
	type StreamedResponse,
} from '../n8n/receiveAnswer';
import type { CredentialSettings } from './credentialSettings';
import type { AccessToken } from '../service/token';
import type { Result } from '../utils/result';

/** How long a login may wait for slots in all. */
const MAX_WAIT_MS = 5 * MINUTE_MS;
/** Time for the first try. It is short, because every request waits for the login, and an answer can get lost. */
export const LOGIN_TRY_MS = 15 * SECOND_MS;
/** Time for a later try: the service may be slow. */
const LATER_TRY_MS = 30 * SECOND_MS;
/** Time for all tries and the pauses between them. */
const MAX_LOGIN_MS = MINUTE_MS;
/**
 * While connections are refused, four tries with their pauses take 17 seconds, less than the 28 of an activation's poll, which
 * can then say why it failed.
 */
const LOGIN_TRIES = 4;

/**
 * Exchanges username and password for a token. Tries again after a
 * transient failure, but never after a refusal, because that could lock the account.
 *
 * @param signal stops the waiting. A request in flight continues, because its token can still be used.
 */
export async function logIn(
	httpRequest: SendHttpRequest,
	account: Account,
	signal: AbortSignal,
	maxTries = LOGIN_TRIES,
): Promise<Result<AccessToken, Failure>> {
	const beganAt = account.clock.now();
	const result = await logInWithRetries(httpRequest, account, signal, maxTries);
	const { failure } = result;
	const outcome = failure
		? { failed: failure.cause ?? failure.kind ?? failure.message }
		: { expiresInMs: result.value.expiresAt && result.value.expiresAt - Date.now() };
	const tookMs = Math.round(account.clock.now() - beganAt);
	logDebug(account.settings, failure ? 'Login failed' : 'Logged in', { ...outcome, tookMs });
	return result;
}

async function logInWithRetries(
	httpRequest: SendHttpRequest,
	account: Account,
	signal: AbortSignal,
	maxTries: number,
): Promise<Result<AccessToken, Failure>> {
	const { limiter, clock, settings } = account;
	const queue = new Queue(QUEUE_KINDS.login, settings.requestsPerMinute);
	const deadline = clock.now() + MAX_WAIT_MS;
	let remainingMs = MAX_LOGIN_MS;
	for (let tries = 1; ; ) {
		const slot = await limiter.acquire({ queue, deadline, signal });
		if (signal.aborted) {
			if (slot) limiter.release(slot);
			return { failure: cancelled() };
		}
		if (!slot) {
			const text = MESSAGES.limits.reached(limiter.describeLimit(queue));
			return { failure: { ...text, kind: 'notSent' } };
		}
		const tryMs = tries === 1 ? LOGIN_TRY_MS : Math.min(LATER_TRY_MS, remainingMs);
		const result = await sendLogin(httpRequest, account, slot, tryMs);
		if (!result) continue;
		const pauseMs = retryPauseMs(tries, result.failure?.waitMs);
		remainingMs -= clock.now() - slot.sentAt + pauseMs;
		if (result.failure?.kind !== 'transient' || tries === maxTries || remainingMs <= 0)
			return result;
		await unlessAborted(clock.sleep(pauseMs), signal);
		tries += 1;
	}
}

/** Sends a login once. @returns undefined after a 429, which does not count as a try. */
async function sendLogin(
	httpRequest: SendHttpRequest,
	account: Account,
	slot: Slot,
	timeoutMs: number,
): Promise<Result<AccessToken, Failure> | undefined> {
	const { settings, limiter } = account;
	const abortSignal = timeoutSignal(timeoutMs);
	const request = { ...tokenRequest(settings), timeout: timeoutMs, abortSignal };
	try {
		const response = (await httpRequest(request)) as StreamedResponse;
		const answer = await receiveAnswer(response, account, slot, abortSignal);
		return answer.statusCode === TOO_MANY_REQUESTS
			? undefined
			: checkLoginAnswer(answer, settings, timeoutMs);
	} catch (error) {
		limiter.reportFailed(slot);
		return {
			failure: abortSignal.aborted
				? timedOut(LOGIN, timeoutMs)
				: describeLoginError(error as Error & { code?: unknown }, settings),
		};
	}
}

/** Builds the request for a token. It follows no redirect, so that the password goes nowhere else. */
function tokenRequest(settings: CredentialSettings): IHttpRequestOptions {
	return {
		...STREAMED,
		method: 'POST',
		url: settings.baseUrl + TOKEN_PATH,
		headers: {
			Accept: 'application/json',
			'Content-Type': 'application/json',
			[settings.versionHeader]: settings.tokenVersion,
		},
		body: { username: settings.username, password: settings.password },
		disableFollowRedirect: true,
		skipSslCertificateValidation: settings.allowUnauthorizedCerts,
	};
}

function checkLoginAnswer(
	answer: Answer,
	settings: CredentialSettings,
	timeoutMs: number,
): Result<AccessToken, Failure> {
	const { statusCode, body } = answer;
	// Without its body, the status is still worth reporting.
	if (!isSuccess(statusCode)) return { failure: describeRefusal(answer, body.value, settings) };
	return body.failure
		? { failure: describeUnread(body.failure, LOGIN, timeoutMs) }
		: extractToken(body.value, settings);
}

function extractToken(
	{ json, parseError }: Body,
	{ password }: CredentialSettings,
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

/** Describes what an unsuccessful status means for a login. */
function describeRefusal(
	{ statusCode, headers }: Answer,
	body: Body | undefined,
	settings: CredentialSettings,
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

function describeLoginError(
	error: Error & { code?: unknown },
	{ password, origin }: CredentialSettings,
): Failure {
	return error.code === undefined
		? MESSAGES.connection.notSent(LOGIN, [redactor([password])(error.message)])
		: connectionFailure(String(error.code), LOGIN, findProxy(error.message, origin));
}
