import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { isAccepted } from '../account/login';
import { prepare, type Turn } from '../account/n8nHooks';
import { storedToken } from '../account/storedToken';
import { readAnswer, type Answer, type ServiceDocument } from '../service/response';
import type { ByteStream } from '../service/body';
import { cancelled, connectionFailure, type Failure, type Outcome } from '../service/failures';
import { redactor } from '../service/redact';
import { pauseAfter, unlessAborted } from '../service/retry';
import { SECOND_MS } from '../messages/duration';
import { MESSAGES, SENTENCES } from '../messages/messages';
import type { Client } from './client';

/** A GET request for a document of the service. */
export interface DocumentRequest<T> extends ServiceDocument<T> {
	/** Value of the version header, if it is not the credential's. */
	dataVersion?: string | undefined;
}

/** How a document is tried. */
export interface TryLimits {
	/** Time for the whole answer to one try, in milliseconds. */
	timeoutMs: number;
	/** Time for all tries and the pauses between them; waiting for places does not count. */
	allTriesMs?: number;
	maxTries?: number;
}

/** How often a document is asked for again with another token: one may end while many wait for their places. */
const MAX_REJECTIONS = 5;

/**
 * Reads a document: sends its request until it has succeeded, has failed for good, or has used up its tries or its time. It
 * never throws.
 */
export async function readDocument<T>(
	{ signal: shared, ...rest }: Client,
	request: DocumentRequest<T>,
	{ timeoutMs, allTriesMs = 45 * SECOND_MS, maxTries = 5 }: TryLimits,
): Promise<Outcome<Answer<T>>> {
	// Node.js warns of a leak when more than ten listen to the same signal.
	const signal = shared && AbortSignal.any([shared]);
	const client: Client = { ...rest, signal };
	const { clock, tokens } = client.account;
	let leftMs = Math.max(allTriesMs, timeoutMs);
	let rejections = 0;
	/** What of all failures so far is worth telling. */
	let worthTelling: Failure | undefined;
	for (let tries = 1; ; ) {
		const turn = turnOf(client, Math.min(timeoutMs, leftMs));
		const attempt = await sendOnce(client, request, turn, rejections < MAX_REJECTIONS);
		if (signal?.aborted) return { failure: cancelled() };
		if (attempt.resend) {
			// It says nothing of the document.
			if (attempt.resend === 'rejected') rejections += 1;
			const { afterMs = 0 } = attempt;
			await unlessAborted(clock.sleep(afterMs), signal);
			// It was too early for another token, and no longer is.
			if (afterMs > 0 && turn.token) tokens.reject(turn.token);
			continue;
		}
		const { outcome } = attempt;
		const { failure } = outcome;
		if (!failure && rejections > 0) tokens.noteHelped();
		if (failure?.unasked && worthTelling) return { failure: worthTelling };
		if (!failure?.retryable) return outcome;

		// What the service has said counts more than that a later try got no answer.
		if (failure.statusCode !== undefined || !worthTelling) worthTelling = failure;
		const { waitMs = 0 } = failure;
		const pauseMs = pauseAfter(tries, waitMs);
		leftMs -= clock.now() - (turn.place?.sentAt ?? clock.now()) + pauseMs;
		if (tries === maxTries || leftMs < SECOND_MS) {
			const asked = waitMs > 0 ? `${SENTENCES.waitAsked(waitMs)} ` : '';
			const sent = tries > 1 ? ` ${SENTENCES.sent(tries)}` : '';
			return { failure: { ...worthTelling, description: asked + worthTelling.description + sent } };
		}
		await unlessAborted(clock.sleep(pauseMs), signal);
		tries += 1;
	}
}

function turnOf({ account, queue, waitEndsAt: endsAt, signal }: Client, timeoutMs: number): Turn {
	return { account, entry: { queue, endsAt, signal }, timeoutMs };
}

/** The result of one request, or why it is sent again: there were too many, or there may be another token. */
type Attempt<T> =
	| { outcome: Outcome<Answer<T>>; resend?: never }
	| { resend: 'refused' | 'rejected' | 'unsent'; afterMs?: number };

/**
 * Sends one request and reads its answer, bounded in time and size. On its way, n8n obtains a token for it if there is
 * none, and lets it wait for its place (`account/signing.ts`).
 *
 * @param mayReplace whether it may be sent again with another token.
 */
async function sendOnce<T>(
	{ account: { settings, tokens }, credential, credentialNow, send }: Client,
	request: DocumentRequest<T>,
	turn: Turn,
	mayReplace: boolean,
): Promise<Attempt<T>> {
	const known = tokens.choose(storedToken(turn.account, credential));
	// After a login, n8n 1.123 writes all that it is handed here back to its database, and would undo an edit made meanwhile.
	const current = known ? credential : await credentialNow();
	// Another process may have stored one meanwhile.
	const token = known ?? tokens.choose(storedToken(turn.account, current));
	const signing = { ...current, accessToken: token?.value ?? '' };
	prepare(signing, turn);
	const { dataVersion, path, subject } = request;
	const version = dataVersion === undefined ? {} : { [settings.versionHeader]: dataVersion };
	try {
		// The credential adds what concerns the connection. An unsuccessful status does not throw: n8n would renew the token.
		const response = await send(
			{
				method: 'GET',
				url: settings.baseUrl + path,
				headers: { Accept: 'application/json', ...version },
				encoding: 'stream',
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				// Later than the request's own end, which knows the reason.
				timeout: (turn.timeoutMs ?? 0) + SECOND_MS,
			},
			signing,
		);
		return await fromResponse(response, request, turn, mayReplace);
	} catch (error) {
		return fromError(error as HelperError, subject, turn);
	}
}

/** Reports the status of a response to the account, and reads it, unless it says nothing of the document. */
async function fromResponse<T>(
	response: IN8nHttpFullResponse,
	request: DocumentRequest<T>,
	{ account, place, token, end, timeoutMs = 0 }: Turn,
	mayReplace: boolean,
): Promise<Attempt<T>> {
	if (!place || !token) throw new Error('It was sent without a place');
	const { limit, tokens, settings } = account;
	if (!isAccepted(place, limit, response)) return { resend: 'refused' };
	const isRejected = response.statusCode === 401 && mayReplace;
	const afterMs = isRejected ? tokens.reject(token) : undefined;
	if (afterMs !== undefined) {
		(response.body as ByteStream).destroy();
		return { resend: 'rejected', afterMs };
	}
	const secrets = { password: settings.password, token: token.value };
	const outcome = await unlessAborted(readAnswer(response, request, secrets), end);
	return { outcome: outcome ?? { failure: tooLate(request.subject, timeoutMs) } };
}

/** The fields that are used of the error that n8n's helper throws when there was no answer. */
interface HelperError {
	message: string;
	description?: string | null;
	/** The code of what failed. */
	httpCode?: string | null;
}

/** What was not sent, or got no answer. */
function fromError(error: HelperError, subject: string, turn: Turn): Attempt<never> {
	const { account, entry, failure, place, token, end, timeoutMs = 0 } = turn;
	const { limit, settings } = account;
	const fail = (reason: Failure) => ({ outcome: { failure: reason } });
	if (failure?.noPlace) {
		const { queue } = entry;
		const text = MESSAGES.limits.noPlace(subject, limit.textFor(queue), limit.delayMs(queue));
		return fail({ ...text, unasked: true });
	}
	if (failure) {
		const { message, description, traceId, cause = '' } = failure;
		return fail({ message, description, traceId, cause, accountWide: true });
	}
	if (turn.lacksToken) return { resend: 'unsent' };
	if (place) limit.fail(place);
	if (end?.aborted) return fail(tooLate(subject, timeoutMs));
	if (error.httpCode) return fail(connectionFailure(error.httpCode, subject));
	const redact = redactor([settings.password, token?.value]);
	const reasons = [redact(error.message), redact(error.description ?? '')];
	return fail(MESSAGES.connection.notSent(subject, reasons));
}

function tooLate(subject: string, timeoutMs: number): Failure {
	return { ...MESSAGES.limits.tookTooLong(subject, timeoutMs), retryable: true };
}
