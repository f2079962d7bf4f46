import {
	sleep,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';
import { VERSION_HEADER } from '../../api/parameters';
import { readToken } from '../../api/token';
import { tokenUrl } from '../../api/tokenEndpoint';
import {
	BodyTooLargeError,
	MAX_BODY_BYTES,
	MAX_LEVELS,
	readBody,
	type Body,
	type ByteStream,
} from '../../shared/body';
import type { Account } from '../../shared/account/accounts';
import type { ExchangeFailure, ExchangeOutcome } from '../../shared/account/tokenCache';
import type { Place } from '../../shared/budget/budget';
import { Lane } from '../../shared/budget/lane';
import type { Connection } from '../../shared/connection';
import { MINUTE_MS } from '../../shared/duration';
import { connectionFailure, statusMessage } from '../../shared/failures';
import { LOGIN, MESSAGES } from '../../shared/messages';
import { redactor } from '../../shared/redact';
import { isPassingStatus, nextPause, retryAfterMs, TOO_MANY_REQUESTS } from '../../shared/retry';
import { withRemark } from '../../shared/serviceRemark';
import { expectedEnd } from './expectedEnd';

type HttpRequest = IHttpRequestHelper['helpers']['httpRequest'];

const MAX_TRIES = 4;
/** Time for all tries and the pauses between them. */
const DEADLINE_MS = MINUTE_MS;
/** Longest wait of a login for the budget. Logins go first; if one would wait longer, the requests that need it wait instead. */
const MAX_WAIT_MS = 1_000;

/**
 * Exchanges username and password for a token (service interface, "POST {base_url}/auth/token"). Passing failures are
 * tried again within a fixed number of tries and a fixed time; a refused login never is.
 *
 * @param reserved the place in the account's budget for the first try, where there is one already.
 */
export async function exchange(
	httpRequest: HttpRequest,
	{ connection, budget }: Account,
	reserved?: Place,
	deadlineMs = DEADLINE_MS,
): Promise<ExchangeOutcome> {
	const deadline = { ms: deadlineMs, signal: AbortSignal.timeout(deadlineMs) };
	const limits = { maxTries: MAX_TRIES, endsAt: performance.now() + deadlineMs };
	let last: ExchangeOutcome = { isDeferred: true };
	const enter = async () =>
		await budget.enter({
			lane: new Lane(),
			requestsPerMinute: connection.requestsPerMinute,
			maxWaitMs: MAX_WAIT_MS,
			isUrgent: true,
		});
	for (let tries = 1; ; tries++) {
		const place = tries === 1 && reserved ? reserved : await enter();
		// After a failed try, the failure is returned: otherwise the login could be deferred after each failure without end.
		if (!place) return last;
		last = await tryOnce(httpRequest, connection, deadline, place);
		if (!last.failure?.passing) return last;

		const clock = { now: performance.now(), random: Math.random() };
		const pause = nextPause(tries, last.failure.waitMs, limits, clock);
		if (pause === undefined) return last;
		await sleep(pause);
	}
}

/** The token request (interface document, "POST {base_url}/auth/token"). The password follows no redirect. */
export function tokenRequest(connection: Connection): IHttpRequestOptions {
	return {
		method: 'POST',
		url: tokenUrl(connection.baseUrl),
		headers: {
			Accept: 'application/json',
			'Content-Type': 'application/json',
			[connection.versionHeader]: connection.tokenVersion,
		},
		body: { username: connection.username, password: connection.password },
		disableFollowRedirect: true,
		skipSslCertificateValidation: connection.allowUnauthorizedCerts,
		timeout: DEADLINE_MS,
	};
}

async function tryOnce(
	httpRequest: HttpRequest,
	connection: Connection,
	deadline: { ms: number; signal: AbortSignal },
	place: Place,
): Promise<ExchangeOutcome> {
	try {
		const { statusCode, headers, body } = (await httpRequest({
			...tokenRequest(connection),
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			abortSignal: deadline.signal,
		})) as IN8nHttpFullResponse;
		if (statusCode === TOO_MANY_REQUESTS) {
			place.refuse(retryAfterMs(headers));
			(body as ByteStream).destroy();
			return { isDeferred: true };
		}
		place.accept();
		const reading = readBody(body as ByteStream, headers['content-type']);
		if (statusCode > 299) {
			const { json } = await reading.catch((): Partial<Body> => ({}));
			return { failure: statusFailure(statusCode, headers, json, connection) };
		}
		return judge(await reading);
	} catch (error) {
		place.fail();
		if (deadline.signal.aborted) {
			return { failure: MESSAGES.limits.tookTooLong(LOGIN, deadline.ms) };
		}
		return { failure: explain(error as Error & { code?: unknown }, connection) };
	}
}

/**
 * The failure of an answer with an unsuccessful status.
 *
 * @param json the body, if it could be read; it only adds to the description.
 */
function statusFailure(
	statusCode: number,
	headers: IN8nHttpFullResponse['headers'],
	json: unknown,
	connection: Connection,
): ExchangeFailure {
	const failure = loginStatus(statusCode, headers, connection);
	const description = withRemark(failure.description, json, redactor([connection.password]));
	return { ...failure, description, cause: `${statusCode}` };
}

function judge(body: Body): ExchangeOutcome {
	if (body.fault) return { failure: MESSAGES.answer[body.fault](LOGIN, MAX_LEVELS) };
	const token = readToken(body.json);
	if (!token) return { failure: MESSAGES.login.noToken() };

	const now = Date.now();
	return {
		token: { value: token.access_token, issuedAt: now, endsAt: expectedEnd(token, now) },
	};
}

/** What an unsuccessful status means for a login. */
function loginStatus(
	statusCode: number,
	headers: IN8nHttpFullResponse['headers'],
	connection: Connection,
): ExchangeFailure {
	const { baseUrl, origin, password, versionHeader } = connection;
	const { login } = MESSAGES;
	if (statusCode === 401 || statusCode === 403) {
		return { ...login.refused(connection), refused: true };
	}
	if (statusCode === 404) return login.notFound(baseUrl, origin);
	const text = statusMessage(LOGIN, statusCode, headers, redactor([password]));
	if (statusCode < 400) return text;
	if (statusCode === 408 || statusCode >= 500) {
		return { ...text, passing: isPassingStatus(statusCode), waitMs: retryAfterMs(headers) };
	}
	const isDefault = versionHeader.toLowerCase() === VERSION_HEADER.toLowerCase();
	return statusCode === 400 && isDefault
		? { ...login.otherHeader(statusCode, versionHeader, connection), refused: true }
		: { ...login.notAccepted(statusCode, connection), refused: true };
}

function explain(error: Error & { code?: unknown }, { password }: Connection): ExchangeFailure {
	if (error instanceof BodyTooLargeError) return MESSAGES.answer.tooLarge(LOGIN, MAX_BODY_BYTES);
	return error.code === undefined
		? MESSAGES.connection.notSent(LOGIN, [redactor([password])(error.message)])
		: connectionFailure(String(error.code), LOGIN);
}
