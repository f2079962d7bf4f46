import {
	sleep,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';
import { readToken } from '../../api/token';
import { tokenUrl } from '../../api/tokenEndpoint';
import {
	BodyTooLargeError,
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
import {
	CHECK_BASE_URL,
	CHECK_FOR_WEBSITE,
	TRY_LATER_OR_TELL,
	USE_UTF8,
	describeConnectionFailure,
} from '../../shared/connectionFailures';
import { spellDuration } from '../../shared/duration';
import { redactor } from '../../shared/redact';
import { isPassingStatus, nextPause, parseRetryAfter, TOO_MANY_REQUESTS } from '../../shared/retry';
import { withRemark } from '../../shared/serviceRemark';
import { expectedEnd } from './expectedEnd';

type HttpRequest = IHttpRequestHelper['helpers']['httpRequest'];

const MAX_TRIES = 4;
/** Time for all tries and the pauses between them. */
const DEADLINE_MS = 60_000;
/** A login goes before all other requests. Where it would wait for longer, the requests that need it wait instead. */
const MAX_WAIT_MS = 1_000;

/**
 * Exchanges username and password for a token (service interface, "POST {base_url}/auth/token"). Passing failures are
 * tried again within a fixed number of tries and a fixed time; a refused login never is.
 */
export async function exchange(
	httpRequest: HttpRequest,
	{ connection, budget }: Account,
	deadlineMs = DEADLINE_MS,
): Promise<ExchangeOutcome> {
	const deadline = { ms: deadlineMs, signal: AbortSignal.timeout(deadlineMs) };
	const limits = { maxTries: MAX_TRIES, endsAt: performance.now() + deadlineMs };
	let last: ExchangeOutcome = { isDeferred: true };
	for (let tries = 1; ; tries++) {
		const place = await budget.enter({
			lane: new Lane(),
			requestsPerMinute: connection.requestsPerMinute,
			maxWaitMs: MAX_WAIT_MS,
			isUrgent: true,
		});
		// After a failed try, the failure is returned: deferring the login again after each failure would never end.
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
			place.refuse(waitOf(headers));
			(body as ByteStream).destroy();
			return { isDeferred: true };
		}
		place.accept();
		const reading = readBody(body as ByteStream, headers['content-type']);
		if (statusCode > 299) {
			const { json } = await reading.catch((): Partial<Body> => ({}));
			return { failure: describeUnsuccessful(statusCode, headers, json, connection) };
		}
		return judge(await reading);
	} catch (error) {
		place.fail();
		if (deadline.signal.aborted) return { failure: describeDeadline(deadline.ms) };
		return { failure: explain(error as Error & { code?: unknown }, connection) };
	}
}

/** @param json what could be read of the body, which only adds words. */
function describeUnsuccessful(
	statusCode: number,
	headers: IN8nHttpFullResponse['headers'],
	json: unknown,
	{ password }: Connection,
): ExchangeFailure {
	const failure = describeLoginStatus(statusCode, headers);
	const description = withRemark(failure.description, json, redactor([password]));
	return { ...failure, description, cause: `${statusCode}` };
}

function judge(body: Body): ExchangeOutcome {
	const token = readToken(body.json);
	if (!token) return { failure: { ...describeBody(body), cause: body.fault ?? 'noToken' } };

	const now = Date.now();
	return {
		token: { value: token.access_token, issuedAt: now, endsAt: expectedEnd(token, now) },
	};
}

function waitOf(headers: IN8nHttpFullResponse['headers']): number | undefined {
	return parseRetryAfter(headers['retry-after'], headers.date);
}

function describeDeadline(deadlineMs: number): ExchangeFailure {
	return {
		message: `The service did not answer the login within ${spellDuration(deadlineMs)}`,
		description: TRY_LATER_OR_TELL,
		cause: 'timeout',
	};
}

const LOGIN_PAUSE =
	'So that the account is not locked, the next login waits half a minute, unless the credential is changed or tested.';

function describeBody({ fault }: Body): ExchangeFailure {
	if (fault === 'empty') {
		return {
			message: 'The service sent an empty answer to the login',
			description: CHECK_BASE_URL,
		};
	}
	if (fault === 'html') {
		return {
			message: 'A web page answered the login instead of the service',
			description: CHECK_FOR_WEBSITE,
		};
	}
	if (fault === 'nested') {
		return {
			message: `The service sent data in answer to the login that is nested more than ${MAX_LEVELS} levels deep`,
			description: CHECK_BASE_URL,
		};
	}
	if (fault === 'notUtf8') {
		return {
			message: 'The service sent text in answer to the login that is not UTF-8',
			description: USE_UTF8,
		};
	}
	if (fault === 'charset') {
		return {
			message: 'The service sent text in answer to the login in an unknown charset',
			description: USE_UTF8,
		};
	}
	return {
		message: 'The answer to the login holds no usable token',
		description: CHECK_BASE_URL,
	};
}

function describeLoginStatus(
	statusCode: number,
	headers: IN8nHttpFullResponse['headers'],
): ExchangeFailure {
	if (statusCode === 401 || statusCode === 403) {
		return {
			message: 'The service refused the username and password',
			description: `Correct Username and Password in the credential. ${LOGIN_PAUSE}`,
			refused: true,
		};
	}
	if (statusCode === 404) {
		return { message: 'There is no login at this address', description: CHECK_BASE_URL };
	}
	if (statusCode < 400) {
		if (headers.location === undefined) {
			return {
				message: `The service answered the login with status ${statusCode}`,
				description: CHECK_BASE_URL,
			};
		}
		return {
			message: 'The service pointed to another address for the login',
			description:
				'Username and password were not sent there. If the service has moved, enter its new address as Base URL in the credential.',
		};
	}
	// Which status stands for a wrong password or a locked account is not shown.
	if (statusCode < 500 && !isPassingStatus(statusCode)) {
		return {
			message: `The service refused the login (status ${statusCode})`,
			description: `Check Base URL, Username, Password, Version Header Name and Token Request Version in the credential. ${LOGIN_PAUSE}`,
			refused: true,
		};
	}
	return {
		message: `The service could not answer the login (status ${statusCode})`,
		description: TRY_LATER_OR_TELL,
		passing: isPassingStatus(statusCode),
		waitMs: waitOf(headers),
	};
}

function explain(error: Error & { code?: unknown }, { password }: Connection): ExchangeFailure {
	if (error instanceof BodyTooLargeError) {
		return {
			message: 'The answer to the login is too large',
			description: CHECK_BASE_URL,
			cause: 'tooLarge',
		};
	}
	if (error.code === undefined) {
		return {
			message: 'n8n did not send the login',
			description: redactor([password])(error.message),
			cause: 'notSent',
		};
	}
	return { ...describeConnectionFailure(error.code), cause: String(error.code) };
}
