import type { IHttpRequestHelper, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { BodyTooLargeError, MAX_BODY_BYTES, readBody, type ByteStream } from '../service/body';
import { connectionFailure, statusMessage, withRemark } from '../service/failures';
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
import { TOKEN_PATH, VERSION_HEADER } from '../service/values';
import { MINUTE_MS } from '../texts/duration';
import { LOGIN, MESSAGES } from '../texts/messages';
import type { Account } from './account';
import { Queue, type Place } from './limit';
import type { Settings } from './settings';
import type { LoginFailure, LoginOutcome } from './tokens';

export type HttpRequest = IHttpRequestHelper['helpers']['httpRequest'];

const MAX_TRIES = 4;

/** How long a login may wait for its places, and how long all its tries may take, in milliseconds. */
interface LoginTime {
	waitMs: number;
	triesMs: number;
}

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
	{ waitMs, triesMs }: LoginTime = { waitMs: 5 * MINUTE_MS, triesMs: MINUTE_MS },
): Promise<LoginOutcome> {
	const { limit, clock } = account;
	const queue = new Queue('login', account.settings.requestsPerMinute);
	const endsAt = clock.now() + waitMs;
	let leftMs = triesMs;
	let tries = 0;
	for (;;) {
		const place = await limit.enter({ queue, endsAt, signal: stop });
		if (stop.aborted) {
			if (place) limit.giveBack(place);
			return { failure: { ...MESSAGES.limits.cancelled(), isUnasked: true } };
		}
		if (!place) {
			const failure = MESSAGES.limits.reached(limit.textFor(queue), limit.delayMs(queue));
			return { failure: { ...failure, isUnasked: true } };
		}
		const outcome = await tryOnce(httpRequest, account, place, leftMs, triesMs);
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

/** @returns undefined if the service has refused it because there were too many requests. */
async function tryOnce(
	httpRequest: HttpRequest,
	{ settings, limit }: Account,
	place: Place,
	timeoutMs: number,
	triesMs: number,
): Promise<LoginOutcome | undefined> {
	const end = abortedAfter(timeoutMs);
	try {
		const { statusCode, headers, body } = (await httpRequest({
			...tokenRequest(settings, timeoutMs),
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			abortSignal: end,
		})) as IN8nHttpFullResponse;
		if (statusCode === TOO_MANY_REQUESTS) {
			limit.refuse(place, retryAfterMs(headers));
			(body as ByteStream).destroy();
			return undefined;
		}
		limit.accept(place);
		const reading = readBody(body as ByteStream);
		if (statusCode > 299) {
			// The body only adds to the description.
			const json = await reading.then((read) => read.json).catch(() => undefined);
			const failure = statusFailure(statusCode, headers, settings);
			const redact = redactor([settings.password]);
			return {
				failure: { ...failure, ...withRemark(failure, json, redact), cause: `${statusCode}` },
			};
		}
		const { json, fault } = await reading;
		if (fault) return { failure: MESSAGES.answer[fault](LOGIN) };
		const token = readToken(json);
		if (!token) return { failure: MESSAGES.login.noToken() };
		const issuedAt = Date.now();
		const endsAt = expectedEnd(token, issuedAt);
		return { token: { value: token.access_token, issuedAt, endsAt } };
	} catch (error) {
		limit.fail(place);
		return {
			failure: end.aborted
				? MESSAGES.limits.tookTooLong(LOGIN, triesMs)
				: thrownFailure(error as Error & { code?: unknown }, settings),
		};
	}
}

/** What an unsuccessful status means for a login. */
function statusFailure(
	statusCode: number,
	headers: IN8nHttpFullResponse['headers'],
	settings: Settings,
): LoginFailure {
	const { baseUrl, origin, password, versionHeader } = settings;
	const { login } = MESSAGES;
	if (statusCode === 401 || statusCode === 403) {
		return { ...login.refused(settings), loginRefused: true };
	}
	if (statusCode === 404) return login.notFound(baseUrl, origin);
	const isOfService = statusCode < 400 || statusCode === 408 || statusCode >= 500;
	if (isOfService) {
		const text = statusMessage(LOGIN, statusCode, headers, redactor([password]));
		return { ...text, retryable: isRetryableStatus(statusCode), waitMs: retryAfterMs(headers) };
	}
	const isDefault = versionHeader.toLowerCase() === VERSION_HEADER.toLowerCase();
	return statusCode === 400 && isDefault
		? { ...login.otherHeader(statusCode, versionHeader, settings), loginRefused: true }
		: { ...login.notAccepted(statusCode, settings), loginRefused: true };
}

function thrownFailure(error: Error & { code?: unknown }, { password }: Settings): LoginFailure {
	if (error instanceof BodyTooLargeError) return MESSAGES.answer.tooLarge(LOGIN, MAX_BODY_BYTES);
	return error.code === undefined
		? MESSAGES.connection.notSent(LOGIN, [redactor([password])(error.message)])
		: connectionFailure(String(error.code), LOGIN);
}
