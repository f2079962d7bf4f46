import {
	sleep,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';
import { VERSION_HEADER } from '../../service/requestValues';
import { readToken } from '../../service/tokenAnswer';
import { tokenUrl } from '../../service/tokenEndpoint';
import {
	BodyTooLargeError,
	MAX_BODY_BYTES,
	readBody,
	type Body,
	type ByteStream,
} from '../../service/body';
import type { Account } from '../../account/accounts';
import type { ExchangeFailure, ExchangeOutcome } from '../../account/tokenChoice';
import type { Place } from '../../account/limit/queue';
import type { Connection } from '../../account/connection';
import { MINUTE_MS, SECOND_MS } from '../../texts/duration';
import { connectionFailure, statusMessage } from '../../service/failedRequest';
import { LOGIN, MESSAGES } from '../../texts/messages';
import { redactor } from '../../service/redact';
import { isRetryableStatus, pauseAfter, retryAfterMs, TOO_MANY_REQUESTS } from '../../service/retry';
import { withRemark } from '../../service/serviceRemark';
import { expectedEnd } from './tokenExpiry';

type HttpRequest = IHttpRequestHelper['helpers']['httpRequest'];

const MAX_TRIES = 4;
/** Time for all tries and the pauses between them. */
const DEADLINE_MS = MINUTE_MS;
/** How long a further try may wait for the budget. Logins go first; if it would wait longer, the last failure is the outcome. */
const MAX_WAIT_MS = SECOND_MS;

/**
 * Exchanges username and password for a token (docs/service-interface.md, "POST {base_url}/auth/token"). Retryable failures are
 * tried again within a fixed number of tries and a fixed time; a refused login never is.
 *
 * @param first the place in the account's budget for the first try.
 * @returns neither a token nor a failure if the service has refused the request because there were too many.
 */
export async function exchange(
	httpRequest: HttpRequest,
	{ connection, budget }: Account,
	first: Place,
	deadlineMs = DEADLINE_MS,
): Promise<ExchangeOutcome> {
	const deadline = { ms: deadlineMs, signal: AbortSignal.timeout(deadlineMs) };
	const endsAt = performance.now() + deadlineMs;
	let place: Place | undefined = first;
	for (let tries = 1; ; tries++) {
		const outcome = await tryOnce(httpRequest, { connection, budget }, deadline, place);
		if (!outcome.failure?.retryable) return outcome;

		const pauseMs = pauseAfter(tries, outcome.failure.waitMs);
		if (tries === MAX_TRIES || performance.now() + pauseMs >= endsAt) return outcome;
		await sleep(pauseMs);
		const waitEndsAt = performance.now() + MAX_WAIT_MS;
		place = await budget.enter({ queue: budget.logins, endsAt: waitEndsAt });
		if (!place) return outcome;
	}
}

/** The token request (docs/service-interface.md, "POST {base_url}/auth/token"). The password follows no redirect. */
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
	{ connection, budget }: Pick<Account, 'connection' | 'budget'>,
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
			budget.refuse(place, retryAfterMs(headers));
			(body as ByteStream).destroy();
			return {};
		}
		budget.accept(place);
		const reading = readBody(body as ByteStream);
		if (statusCode > 299) {
			const { json } = await reading.catch((): Partial<Body> => ({}));
			return { failure: statusFailure(statusCode, headers, json, connection) };
		}
		return judge(await reading);
	} catch (error) {
		budget.fail(place);
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
	if (body.fault) return { failure: MESSAGES.answer[body.fault](LOGIN) };
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
		return { ...login.refused(connection), loginRefused: true };
	}
	if (statusCode === 404) return login.notFound(baseUrl, origin);
	const text = statusMessage(LOGIN, statusCode, headers, redactor([password]));
	if (statusCode < 400) return text;
	if (statusCode === 408 || statusCode >= 500) {
		return { ...text, retryable: isRetryableStatus(statusCode), waitMs: retryAfterMs(headers) };
	}
	const isDefault = versionHeader.toLowerCase() === VERSION_HEADER.toLowerCase();
	return statusCode === 400 && isDefault
		? { ...login.otherHeader(statusCode, versionHeader, connection), loginRefused: true }
		: { ...login.notAccepted(statusCode, connection), loginRefused: true };
}

function explain(error: Error & { code?: unknown }, { password }: Connection): ExchangeFailure {
	if (error instanceof BodyTooLargeError) return MESSAGES.answer.tooLarge(LOGIN, MAX_BODY_BYTES);
	return error.code === undefined
		? MESSAGES.connection.notSent(LOGIN, [redactor([password])(error.message)])
		: connectionFailure(String(error.code), LOGIN);
}
