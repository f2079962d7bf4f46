import type { IHttpRequestHelper, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import {
	BodyTooLargeError,
	MAX_BODY_BYTES,
	readBody,
	type Body,
	type ByteStream,
} from '../service/body';
import {
	connectionFailure,
	remarkIn,
	statusMessage,
	withRemark,
	type StatusText,
} from '../service/failures';
import { redactor } from '../service/redact';
import {
	abortedAfter,
	isRetryableStatus,
	pauseAfter,
	retryAfterMs,
	TOO_MANY_REQUESTS,
	unlessAborted,
} from '../service/retry';
import { expectedEnd, readToken } from '../service/token';
import { TOKEN_PATH, VERSION_HEADER } from '../input/values';
import { MINUTE_MS } from '../messages/duration';
import { LOGIN, MESSAGES } from '../messages/messages';
import type { Account } from './account';
import { Queue, type Limit, type Place } from './rateLimiter';
import type { Settings } from './settings';
import type { LoginFailure, LoginOutcome } from './tokenSource';

export type HttpRequest = IHttpRequestHelper['helpers']['httpRequest'];

const MAX_TRIES = 4;
/** How long a login may wait for its places. */
const LONGEST_WAIT_MS = 5 * MINUTE_MS;
/** How long all its tries and the pauses between them may take. */
const ALL_TRIES_MS = MINUTE_MS;

/**
 * Exchanges username and password for a token (docs/service-interface.md, "POST {base_url}/auth/token"). Retryable failures are
 * tried again within a fixed number of tries and a fixed time; a refused login never is.
 *
 * @param stop ends the waiting, not a request that is under way: its token may serve others.
 */
export async function exchange(
	httpRequest: HttpRequest,
	account: Account,
	stop: AbortSignal,
): Promise<LoginOutcome> {
	const { limit, clock, settings } = account;
	const queue = new Queue('login', settings.requestsPerMinute);
	const endsAt = clock.now() + LONGEST_WAIT_MS;
	let leftMs = ALL_TRIES_MS;
	let tries = 0;
	for (;;) {
		const place = await limit.enter({ queue, endsAt, signal: stop });
		if (stop.aborted) {
			if (place) limit.giveBack(place);
			return { failure: { ...MESSAGES.limits.cancelled(), unasked: true } };
		}
		if (!place) {
			const failure = MESSAGES.limits.reached(limit.textFor(queue), limit.delayMs(queue));
			return { failure: { ...failure, unasked: true } };
		}
		const outcome = await tryOnce(httpRequest, account, place, leftMs);
		// It was refused because there were too many requests: it waits for another place.
		if (!outcome) continue;
		tries += 1;
		const pauseMs = pauseAfter(tries, outcome.failure?.waitMs);
		leftMs -= clock.now() - place.sentAt + pauseMs;
		if (!outcome.failure?.retryable || tries === MAX_TRIES || leftMs <= 0) return outcome;
		await unlessAborted(clock.sleep(pauseMs), stop);
	}
}

/** The token request. The password follows no redirect. */
export function tokenRequest(settings: Settings, timeout: number): IHttpRequestOptions {
	return {
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
		timeout,
	};
}

/**
 * Tells the limit how the request of a place was answered.
 *
 * @param response whose body is a stream, which is destroyed if there were too many requests.
 * @returns whether the service has accepted the request; if not, it may be sent again.
 */
export function isAccepted(
	place: Place,
	limit: Limit,
	{ statusCode, headers, body }: IN8nHttpFullResponse,
): boolean {
	if (statusCode !== TOO_MANY_REQUESTS) {
		limit.accept(place);
		return true;
	}
	limit.refuse(place, retryAfterMs(headers));
	(body as ByteStream).destroy();
	return false;
}

/**
 * Sends a request in its place, and tells the limit how it was answered.
 *
 * @returns the response, whose body is a stream; undefined if there were too many requests, so that it may be sent again.
 * @throws what n8n's helper throws if there is no answer; the place then is the caller's to end.
 */
export async function sendIn(
	place: Place,
	limit: Limit,
	httpRequest: HttpRequest,
	request: IHttpRequestOptions,
): Promise<(IN8nHttpFullResponse & { body: ByteStream }) | undefined> {
	const response = (await httpRequest({
		...request,
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
	})) as IN8nHttpFullResponse & { body: ByteStream };
	return isAccepted(place, limit, response) ? response : undefined;
}

/** @returns undefined as {@link sendIn}. */
async function tryOnce(
	httpRequest: HttpRequest,
	{ settings, limit }: Account,
	place: Place,
	timeoutMs: number,
): Promise<LoginOutcome | undefined> {
	const abortSignal = abortedAfter(timeoutMs);
	const request = { ...tokenRequest(settings, timeoutMs), abortSignal };
	try {
		const response = await sendIn(place, limit, httpRequest, request);
		if (!response) return undefined;
		if (response.statusCode > 299) {
			// The body only adds to the status.
			const read = await readBody(response.body).catch(() => undefined);
			return { failure: statusFailure(response, read, settings) };
		}
		return outcomeOf(await readBody(response.body), settings);
	} catch (error) {
		limit.fail(place);
		return {
			failure: abortSignal.aborted
				? MESSAGES.limits.tookTooLong(LOGIN, ALL_TRIES_MS)
				: thrownFailure(error as Error & { code?: unknown }, settings),
		};
	}
}

function outcomeOf({ json, fault }: Body, { password }: Settings): LoginOutcome {
	if (fault) return { failure: MESSAGES.answer[fault](LOGIN) };
	const token = readToken(json);
	if (!token) return { failure: withRemark(MESSAGES.login.noToken(), json, redactor([password])) };
	const issuedAt = Date.now();
	const endsAt = expectedEnd(token, issuedAt);
	return { token: { value: token.access_token, issuedAt, endsAt } };
}

/** What an unsuccessful status means for a login. */
function statusFailure(
	{ statusCode, headers }: IN8nHttpFullResponse,
	body: Body | undefined,
	settings: Settings,
): LoginFailure {
	const redact = redactor([settings.password]);
	const { said, traceId } = remarkIn(body?.json, redact);
	const isOfService = statusCode < 400 || statusCode === 408 || statusCode >= 500;
	const about = { cause: String(statusCode), loginRefused: !isOfService && statusCode !== 404 };
	const asText = (text: StatusText): LoginFailure => ({
		...withRemark(text, body?.json, redact),
		...about,
	});
	const { login } = MESSAGES;
	if (isOfService) {
		return {
			...asText(statusMessage(LOGIN, statusCode, headers, redact)),
			retryable: isRetryableStatus(statusCode),
			waitMs: retryAfterMs(headers),
		};
	}
	if (statusCode === 404) return asText(login.notFound(settings.baseUrl, settings.origin));
	const elsewhere = () => asText(login.elsewhere(statusCode, settings.baseUrl));
	if (body?.fault === 'html') return elsewhere();
	const isDefault = settings.versionHeader.toLowerCase() === VERSION_HEADER.toLowerCase();
	if (/\bversion/i.test(said) || (statusCode === 400 && isDefault)) {
		return asText(login.otherVersion(statusCode, settings, isDefault));
	}
	if (statusCode !== 401 && statusCode !== 403) {
		return asText(login.notAccepted(statusCode, settings));
	}
	const isEmpty = body === undefined || body.fault === 'empty';
	if (!isEmpty && !said && !traceId) return elsewhere();
	return asText(statusCode === 401 ? login.refused(settings) : login.forbidden(settings));
}

function thrownFailure(error: Error & { code?: unknown }, { password }: Settings): LoginFailure {
	if (error instanceof BodyTooLargeError) return MESSAGES.answer.tooLarge(LOGIN, MAX_BODY_BYTES);
	return error.code === undefined
		? MESSAGES.connection.notSent(LOGIN, [redactor([password])(error.message)])
		: connectionFailure(String(error.code), LOGIN);
}
