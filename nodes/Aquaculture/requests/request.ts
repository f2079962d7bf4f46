import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import type { ServiceDocument } from '../../../service/document';
import type { Account } from '../../../account/accounts';
import { announce } from '../../../account/announcement';
import type { ExchangeFailure } from '../../../account/tokenChoice';
import { takeTurn, type TakenTurn } from '../../../account/turn';
import type { Budget } from '../../../account/limit/budget';
import { delayMs, limitOf } from '../../../account/limit/plan';
import type { Queue } from '../../../account/limit/queue';
import type { Connection } from '../../../account/connection';
import { MESSAGES } from '../../../texts/messages';
import { retryAfterMs, TOO_MANY_REQUESTS } from '../../../service/retry';
import { unlessAborted } from '../../../service/unlessAborted';
import { isSuccess, readAnswer, type Answer } from './answer';
import type { AbortScope } from './cancellation';
import { CANCELLED, unansweredFailure, type Failure, type HelperError } from './failure';
import { askForLogin } from './login';
import type { Outcome } from './outcome';
import { redactionOf, type Redaction } from './redaction';
import type { Transport } from './transport';

/** A GET request for a document of the service. */
export interface DocumentRequest<T> extends ServiceDocument<T> {
	/** Value of the version header, if it is not the credential's. */
	dataVersion?: string | undefined;
	/** An answer that has become known while the request waited for its turn, so that nothing is sent. */
	readMeanwhile?: () => Answer<T> | undefined;
}

/** The result of one request. */
export interface Attempt<T> {
	outcome: Outcome<T>;
	/** How long it took from when it was sent, in milliseconds. */
	tookMs: number;
	/** Why to send the request again: the outcome says nothing about the document. */
	resendReason?: ResendReason | undefined;
}

type ResendReason =
	/** The service has refused it because there are too many requests. */
	| 'refused'
	/** Its token was rejected, and there is another one or one may be obtained. */
	| 'rejected';

/**
 * Sends one request and reads its answer, bounded in time and size. It never throws. Top to bottom: the request takes its
 * turn, is sent, its answer is reported to the account, and read.
 *
 * @param timeoutMs time from sending to the last byte of the body, in milliseconds.
 */
export async function requestDocument<T>(
	transport: Transport,
	queue: Queue,
	request: DocumentRequest<T>,
	timeoutMs: number,
): Promise<Attempt<Answer<T>>> {
	const { account, credential, cancellation } = transport;
	const scope = cancellation.begin();
	try {
		const turn = await takeTurn(account, {
			entry: { queue, signal: scope.signal },
			credential,
			logIn: async (place) => await askForLogin(transport, place),
		});
		if (!turn.missing) {
			const known = request.readMeanwhile?.();
			if (!known) return await sendInTurn(transport, request, turn, timeoutMs, scope);
			account.budget.giveBack(turn.place);
			return { outcome: { value: known }, tookMs: 0 };
		}
		if (cancellation.isCancelled) return { outcome: { failure: CANCELLED }, tookMs: 0 };
		const failure = turn.failure
			? loginFailure(turn.failure)
			: noPlaceFailure(request.subject, account.budget);
		return { outcome: { failure }, tookMs: 0 };
	} finally {
		scope.close();
	}
}

async function sendInTurn<T>(
	transport: Transport,
	request: DocumentRequest<T>,
	turn: TakenTurn,
	timeoutMs: number,
	scope: AbortScope,
): Promise<Attempt<Answer<T>>> {
	const { account, cancellation } = transport;
	const { place, token } = turn;
	const credential = { ...transport.credential, accessToken: token.value };
	const redaction = redactionOf(credential);
	announce(credential, { account, token });
	const sentAt = performance.now();
	scope.abortAfter(timeoutMs);

	let reported: StatusReport | undefined;
	let outcome: Outcome<Answer<T>> | undefined;
	try {
		const options = optionsOf(request, account.connection, timeoutMs);
		const sent = transport.send(options, credential, scope.signal);
		const response = await unlessAborted(sent, scope.signal);
		if (response) {
			reported = report(response, request.path, account, turn);
			outcome = await unlessAborted(readAnswer(response, request, redaction), scope.signal);
		}
	} catch (error) {
		outcome = { failure: thrownFailure(error as Error, request.subject, redaction, reported) };
	}
	outcome ??= {
		failure: cancellation.isCancelled ? CANCELLED : tookTooLong(request.subject, timeoutMs),
	};
	if (reported?.isSessionEnded) outcome = sessionEnded(outcome, request);
	// A body that was not read to its end may still arrive.
	if (!outcome.value) scope.abort();
	if (!reported) account.budget.fail(place);
	const tookMs = performance.now() - sentAt;
	return { outcome, tookMs, resendReason: reported?.resendReason };
}

/** What was thrown by n8n's helper, or after the service has answered. */
function thrownFailure(
	error: Error,
	subject: string,
	{ redact }: Redaction,
	reported: StatusReport | undefined,
): Failure {
	return reported
		? MESSAGES.answer.unprocessed(subject, redact(error.message))
		: unansweredFailure(error as HelperError, subject, redact);
}

/** What follows from the status of an answer. */
interface StatusReport {
	resendReason?: ResendReason;
	/** Whether the account's session was ended again and again, so that no more logins are made for now. */
	isSessionEnded?: boolean;
}

/** Reports the service's answer to the budget and the token. */
function report(
	response: IN8nHttpFullResponse,
	path: string,
	{ budget, tokens }: Account,
	{ place, token }: TakenTurn,
): StatusReport {
	const { statusCode, headers } = response;
	if (statusCode === TOO_MANY_REQUESTS) {
		budget.refuse(place, retryAfterMs(headers));
		return { resendReason: 'refused' };
	}
	budget.accept(place);
	if (isSuccess(response)) tokens.accept(token, path);
	if (statusCode !== 401 && statusCode !== 403) return {};
	const verdict = tokens.reject(token, path);
	return verdict === 'again'
		? { resendReason: 'rejected' }
		: { isSessionEnded: statusCode === 401 && verdict === 'sessionEnded' };
}

/** The outcome of a document that was rejected because something else ends the account's session. */
function sessionEnded<T>(outcome: Outcome<T>, { subject }: DocumentRequest<unknown>): Outcome<T> {
	if (!outcome.failure) return outcome;
	return { failure: { ...outcome.failure, ...MESSAGES.status.sessionEnded(subject) } };
}

/** Every other request will fail for the same cause. */
function loginFailure({ message, description, cause = '' }: ExchangeFailure): Failure {
	return { message, description, cause, accountWide: true };
}

function noPlaceFailure(subject: string, budget: Budget): Failure {
	const text = MESSAGES.limits.noPlace(subject, limitOf(budget), delayMs(budget));
	return { ...text, noPlace: true };
}

function tookTooLong(subject: string, timeoutMs: number): Failure {
	return { ...MESSAGES.limits.tookTooLong(subject, timeoutMs), retryable: true, timedOut: true };
}

/** How much later than the request's own deadline the timeout of n8n's helper is. */
const HELPER_MARGIN_MS = 1000;

/**
 * The credential adds what concerns the connection: token, version, whether certificates are checked, and no redirects.
 * An unsuccessful status does not throw: otherwise n8n would renew the token at each 401.
 */
function optionsOf(
	{ path, dataVersion }: DocumentRequest<unknown>,
	{ baseUrl, versionHeader }: Connection,
	timeout: number,
): IHttpRequestOptions {
	return {
		method: 'GET',
		url: baseUrl + path,
		headers: {
			Accept: 'application/json',
			...(dataVersion !== undefined && { [versionHeader]: dataVersion }),
		},
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		// Later than the request's own deadline, which knows the reason.
		timeout: timeout + HELPER_MARGIN_MS,
	};
}
