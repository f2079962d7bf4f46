import type { IHttpRequestOptions } from 'n8n-workflow';
import { explainWait } from '../limit/noSlot';
import { LOGIN, type Failure } from '../messages/failure';
import { systemClock, MINUTE_MS, SECOND_MS } from '../utils/time';
import { retryPauseMs } from '../service/retry';
import { isSuccess, TOO_MANY_REQUESTS, type RawAnswer } from '../service/answer';
import { explainFailedLogin } from '../service/statusFailures';
import { readToken } from '../service/token';
import { TOKEN_PATH } from '../service/constants';
import type { Account } from '../login/account';
import { logDebug } from '../n8n/log';
import { Queue, type Slot } from '../limit/queue';
import { exchange, type SendHttpRequest, type StreamedResponse } from './exchange';
import type { CredentialSettings } from '../input/credentialSettings';
import type { LoginResult } from '../login/tokenSource';

/** Time for the first try. It is short, because every request waits for the login, and an answer can get lost. */
const FIRST_TRY_MS = 15 * SECOND_MS;
/** Time for a later try: the service may be slow. */
const LATER_TRY_MS = 30 * SECOND_MS;
/** Time for all tries and the pauses between them. */
const MAX_LOGIN_MS = MINUTE_MS;
/** How long a try may wait for a slot: until one of this minute expires. The first try has a limit of its own. */
export const MAX_SLOT_WAIT_MS = MINUTE_MS;

interface LoginLimits {
	maxTries: number;
	/** How long the login may wait for its first slot. The requests that need it wait longer, each within its own limits. */
	firstSlotWaitMs: number;
}

/**
 * While connections are refused, four tries with their pauses take 17 seconds, less than the 28 of an activation's poll, which
 * can then say why it failed.
 */
const DEFAULT_LIMITS: LoginLimits = { maxTries: 4, firstSlotWaitMs: 5 * SECOND_MS };

/**
 * Exchanges username and password for a token. Tries again after a transient failure, but never after a refusal, because that
 * could lock the account.
 */
export async function logIn(
	httpRequest: SendHttpRequest,
	account: Account,
	limits: Partial<LoginLimits> = {},
): Promise<LoginResult> {
	const beganAt = systemClock.now();
	const result = await logInWithRetries(httpRequest, account, { ...DEFAULT_LIMITS, ...limits });
	const { failure } = result;
	const outcome = failure
		? { failed: failure.message }
		: { replacedInMs: Math.round(result.value.replaceAt - Date.now()) };
	const tookMs = Math.round(systemClock.now() - beganAt);
	logDebug(account.settings, failure ? 'Login failed' : 'Logged in', { ...outcome, tookMs });
	return result;
}

async function logInWithRetries(
	httpRequest: SendHttpRequest,
	account: Account,
	{ maxTries, firstSlotWaitMs }: LoginLimits,
): Promise<LoginResult> {
	const { limiter, settings } = account;
	const queue = new Queue('login', settings.requestsPerMinute);
	let remainingMs = MAX_LOGIN_MS;
	let lastFailure: Failure | undefined;
	let deadline = systemClock.now() + firstSlotWaitMs;
	let tries = 0;
	for (;;) {
		const slot = await limiter.acquire({ queue, deadline });
		if (!slot) {
			return { failure: lastFailure ?? explainWait(limiter.describeLimit(queue)) };
		}
		const tryMs = tries === 0 ? FIRST_TRY_MS : Math.min(LATER_TRY_MS, remainingMs);
		const result = await sendLogin(httpRequest, account, slot, tryMs);
		if (result !== REFUSED_BY_LIMIT) {
			tries += 1;
			const pauseMs = retryPauseMs(tries, result.failure?.waitMs);
			remainingMs -= systemClock.now() - slot.sentAt + pauseMs;
			const mayRetry = result.failure?.isTransient;
			if (!mayRetry || tries === maxTries || remainingMs < SECOND_MS) return result;
			lastFailure = result.failure;
			await systemClock.sleep(pauseMs);
			deadline = systemClock.now() + MAX_SLOT_WAIT_MS;
		}
	}
}

/** After a 429, which is not a try: the limiter decides when to send the login again. */
const REFUSED_BY_LIMIT = 'refusedByLimit';

/** Sends a login once. */
async function sendLogin(
	httpRequest: SendHttpRequest,
	account: Account,
	slot: Slot,
	timeoutMs: number,
): Promise<LoginResult | typeof REFUSED_BY_LIMIT> {
	const { settings } = account;
	const { value: answer, failure } = await exchange(account, slot, {
		subject: LOGIN,
		timeoutMs,
		secrets: [settings.password],
		send: async (baseOptions, abortSignal) =>
			(await httpRequest({
				...baseOptions,
				...tokenRequest(settings),
				abortSignal,
			})) as StreamedResponse,
	});
	if (failure) return { failure };
	if (answer.statusCode === TOO_MANY_REQUESTS) return REFUSED_BY_LIMIT;
	return checkLoginAnswer(answer, settings);
}

/** Builds the request for a token. It follows no redirect, so that the password goes nowhere else. */
function tokenRequest(settings: CredentialSettings): IHttpRequestOptions {
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
	};
}

function checkLoginAnswer(answer: RawAnswer, settings: CredentialSettings): LoginResult {
	const { statusCode, body } = answer;
	// Without its body, the status is still worth reporting.
	if (!isSuccess(statusCode)) return { failure: explainFailedLogin(answer, body.value, settings) };
	return body.failure ? body : readToken(body.value, settings);
}
