import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';
import type { ServiceDocument } from '../../../api/documents';
import {
	BodyTooLargeError,
	MAX_BODY_BYTES,
	MAX_LEVELS,
	readBody,
	type Body,
	type ByteStream,
} from '../../../shared/body';
import type { Place } from '../../../shared/budget/budget';
import type { Connection } from '../../../shared/connection';
import { announce, type CarriedToken } from '../../../shared/budget/passage';
import { connectionFailure } from '../../../shared/failures';
import { MESSAGES, type FailureText } from '../../../shared/messages';
import { redactJson, redactor, type Redact } from '../../../shared/redact';
import { isPassingStatus, parseRetryAfter, TOO_MANY_REQUESTS } from '../../../shared/retry';
import { withRemark } from '../../../shared/serviceRemark';
import {
	CANCELLED,
	documentStatus,
	readableBody,
	unansweredFailure,
	type Failure,
	type HelperError,
} from './failure';
import type { Transport } from './transport';

/** A GET request for a document of the service. */
export interface DocumentRequest<T> extends ServiceDocument<T> {
	/** Value of the version header, where it is not the credential's. */
	dataVersion?: string | undefined;
}

/** A successful answer that keeps the contract. */
export interface Answer<T> {
	statusCode: number;
	headers: IDataObject;
	json: T;
}

/** Either an answer or the reason why there is none: a request never throws. */
export type Outcome<T> = { answer: T; failure?: never } | { answer?: never; failure: Failure };

/** What came of one request. */
export interface Attempt<T> {
	outcome: Outcome<T>;
	/** How long it took from when it was sent, in milliseconds. */
	tookMs: number;
	/** Whether the service has refused it because there are too many, so that it says nothing about the document. */
	isRefused?: boolean;
	/** Whether its token was rejected, and there is another one or one may be obtained. */
	needsToken?: boolean;
	/** Whether it was not sent, because it would have had to wait for its turn for too long. */
	isTooLate?: boolean;
}

/**
 * Sends one request, as soon as its account may send it, and reads its answer, bounded in time and size.
 *
 * The body is read as a stream, because n8n's helper limits neither the size of a body nor the time that it takes:
 * its `timeout` is for silence only (n8n 1.123 and 2.40). An unsuccessful status is an answer like others: n8n would
 * renew the token at each 401.
 *
 * @param timeoutMs time from sending to the last byte of the body, in milliseconds.
 * @param patienceMs how long it may still wait before it is sent, in milliseconds: a login may make it wait again.
 */
export async function requestDocument<T>(
	transport: Transport,
	request: DocumentRequest<T>,
	timeoutMs: number,
	patienceMs: () => number,
): Promise<Attempt<Answer<T>>> {
	// A copy for each request: the credential recognises the request by it.
	const credential = { ...transport.credential };
	const { password } = credential;
	const redact: Redact = (text) => redactor([password, credential.accessToken])(text);
	const redactData: Redact = (text) =>
		redactor([isWord(password) ? '' : password, credential.accessToken])(text);
	const { cancellation, connection, deadlines, lane } = transport;
	const controller = cancellation.controller();
	const exchange: Exchange = {};
	let end = () => {};
	const over = new Promise<undefined>((resolve) => {
		end = () => resolve(undefined);
	});
	const unregister = cancellation.register(end);
	announce(credential, {
		document: request.path,
		lane,
		patienceMs,
		signal: controller.signal,
		onSent(place, token) {
			if (exchange.isOver) {
				// Its turn came as it was cancelled: n8n sends nothing by a signal that has been aborted.
				place.giveBack();
				return;
			}
			Object.assign(exchange, { place, token, sentAt: performance.now() });
			exchange.endDeadline = deadlines.begin(timeoutMs, end);
		},
		onTooLate() {
			exchange.isTooLate = true;
		},
	});

	const options = optionsOf(request, connection, timeoutMs);
	const sending = transport
		.send(options, credential, controller.signal)
		.then(
			async (response) => await judge(response, request, { redact, redactData }, exchange),
			(error: HelperError): Outcome<Answer<T>> => {
				// The token ended while the request waited for its turn a second time: n8n does not ask for a third one.
				exchange.needsToken = exchange.sentAt === undefined && error.httpCode === '401';
				return { failure: unansweredFailure(error, request.subject, redact) };
			},
		)
		.catch(
			(error: Error): Outcome<Answer<T>> => ({
				failure: MESSAGES.answer.unprocessed(request.subject, redact(error.message)),
			}),
		);
	const outcome = await Promise.race([over, sending]);

	exchange.isOver = true;
	unregister();
	exchange.endDeadline?.();
	if (!exchange.isAnswered) exchange.place?.fail();
	cancellation.release(controller, { isClean: outcome?.answer !== undefined });
	keepToken(transport.credential, credential);
	const { sentAt, isRefused, needsToken, isTooLate } = exchange;
	return {
		outcome: outcome ?? { failure: describeEnd(transport, request, timeoutMs) },
		tookMs: sentAt === undefined ? 0 : performance.now() - sentAt,
		...(isRefused && { isRefused }),
		...(needsToken && { needsToken }),
		...(isTooLate && { isTooLate }),
	};
}

/** What takes the secrets out of failures, and out of what the service sends as data. */
interface Redaction {
	redact: Redact;
	redactData: Redact;
}

/** Whether a password is so short that data may well hold the same characters. */
function isWord(password: unknown): boolean {
	const SHORTEST_SECRET = 8;
	return String(password).length < SHORTEST_SECRET;
}

/** What is known of a request while it is under way. */
interface Exchange {
	place?: Place;
	token?: CarriedToken;
	/** As `performance.now()` tells it. */
	sentAt?: number;
	endDeadline?: () => void;
	isAnswered?: boolean;
	isOver?: boolean;
	isRefused?: boolean;
	needsToken?: boolean;
	isTooLate?: boolean;
}

/** The failure of a request that was ended from here. */
function describeEnd(
	{ cancellation }: Transport,
	{ subject }: DocumentRequest<unknown>,
	timeoutMs: number,
): Failure {
	if (cancellation.isCancelled) return CANCELLED;
	return { ...MESSAGES.limits.tookTooLong(subject, timeoutMs), passing: true, timedOut: true };
}

/** How much later than a request's own deadline n8n's helper would end it. */
const HELPER_MARGIN_MS = 1000;

/** The credential adds what concerns the connection: token, version, whether certificates are checked, and no redirects. */
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
		// Later than the deadline of the request, which says why it is ended.
		timeout: timeout + HELPER_MARGIN_MS,
	};
}

/** Keeps a token for the requests that follow: for a credential without one, n8n would store it once more for each. */
function keepToken(
	kept: ICredentialDataDecryptedObject,
	{ accessToken, tokenBinding }: ICredentialDataDecryptedObject,
): void {
	if (accessToken && tokenBinding) Object.assign(kept, { accessToken, tokenBinding });
}

/** Tells account and budget how the service has answered, and reads the answer. */
async function judge<T>(
	response: IN8nHttpFullResponse,
	request: DocumentRequest<T>,
	redaction: Redaction,
	exchange: Exchange,
): Promise<Outcome<Answer<T>>> {
	const { statusCode, headers } = response;
	const { place, token } = exchange;
	exchange.isAnswered = true;
	const waitMs = parseRetryAfter(headers['retry-after'], headers.date);
	if (statusCode === TOO_MANY_REQUESTS) {
		exchange.isRefused = true;
		place?.refuse(waitMs);
	} else {
		place?.accept();
	}
	if (statusCode === 401 || statusCode === 403) exchange.needsToken = token?.reject() ?? false;
	if (statusCode < 300) {
		token?.accept();
		return await readAnswer(response, request, redaction);
	}
	const { redact } = redaction;
	const body = await readBody(response.body as ByteStream, headers['content-type']).catch(
		() => undefined,
	);
	const { message, description } = documentStatus(statusCode, headers, request, redact);
	return {
		failure: {
			message,
			description: withRemark(description, body?.json, redact),
			statusCode,
			passing: isPassingStatus(statusCode),
			waitMs,
			...(body && { body: readableBody(body, redact) }),
		},
	};
}

async function readAnswer<T>(
	{ statusCode, headers, body: stream }: IN8nHttpFullResponse,
	{ subject, check }: DocumentRequest<T>,
	{ redact, redactData }: Redaction,
): Promise<Outcome<Answer<T>>> {
	let body: Body;
	try {
		body = await readBody(stream as ByteStream, headers['content-type']);
	} catch (error) {
		const failure =
			error instanceof BodyTooLargeError
				? { ...MESSAGES.answer.tooLarge(subject, MAX_BODY_BYTES), statusCode }
				: connectionFailure('ECONNRESET', subject);
		return { failure };
	}
	const fail = (text: FailureText) => ({
		failure: { ...text, statusCode, body: readableBody(body, redact) },
	});
	if (body.fault !== undefined) {
		return fail(MESSAGES.answer[body.fault](subject, MAX_LEVELS));
	}

	const document = check(body.json);
	if (document.fault !== undefined) {
		return fail(MESSAGES.answer.breach(subject, document.fault));
	}
	return {
		answer: {
			statusCode,
			headers: redactJson(headers, redactData) as IDataObject,
			json: redactJson(document.value, redactData, body.text) as T,
		},
	};
}
