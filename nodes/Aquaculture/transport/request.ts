import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';
import {
	BodyTooLargeError,
	MAX_BODY_BYTES,
	readBody,
	type Body,
	type ByteStream,
} from '../../../api/body';
import type { Checked } from '../../../api/checked';
import type { FailureText } from '../../../api/connectionFailures';
import type { Connection } from '../../../api/connection';
import { redactor, type Redact } from '../../../api/redact';
import { isPassingStatus, parseRetryAfter } from '../../../api/retry';
import type { Cancellation } from './cancellation';
import type { Deadlines } from './deadlines';
import {
	CANCELLED,
	describeBodyFault,
	describeBreach,
	describeNoConnection,
	describeSiteStatus,
	describeTimeout,
	describeTooLarge,
	describeUnanswered,
	readableBody,
	unsuccessfulAnswer,
	type Failure,
	type HelperError,
} from './failure';

/** What a data request needs of its surroundings; a polling trigger can provide it as well as a node can. */
export interface Transport {
	connection: Connection;
	/** The credential's data, with the newest token that n8n has put in. */
	credential: ICredentialDataDecryptedObject;
	cancellation: Cancellation;
	deadlines: Deadlines;
	/** Signs and sends a request, and ends it when the signal is aborted. */
	send(
		options: IHttpRequestOptions,
		credential: ICredentialDataDecryptedObject,
		signal: AbortSignal,
	): Promise<IN8nHttpFullResponse>;
}

/** A GET request for one JSON document. */
export interface JsonRequest<T> {
	url: string;
	headers: IDataObject;
	/** Time for the whole exchange, the last byte of the body included, in milliseconds. */
	timeoutMs: number;
	/** What is asked for, as it stands in a sentence: "site 1001". */
	subject: string;
	/** Checks the document against the contract. */
	check(json: unknown): Checked<T>;
}

/** A successful answer that keeps the contract. */
export interface Answer<T> {
	statusCode: number;
	headers: IDataObject;
	json: T;
}

/** Either an answer or the reason why there is none: a request never throws. */
export type Outcome<T> = { answer: T; failure?: never } | { answer?: never; failure: Failure };

/**
 * Sends one request and reads its answer, bounded in time and size.
 *
 * The body is read as a stream, because n8n's helper limits neither the size of a body nor the time that it takes:
 * its `timeout` is for silence only (n8n 1.123 and 2.40).
 */
export async function requestJson<T>(
	transport: Transport,
	request: JsonRequest<T>,
): Promise<Outcome<Answer<T>>> {
	// A copy for each request: the credential tells by it which token a rejected request was signed with.
	const credential = { ...transport.credential };
	const { accessToken } = credential;
	const redact: Redact = (text) => redactor([credential.password, credential.accessToken])(text);
	const { cancellation, deadlines } = transport;
	const controller = cancellation.controller();
	const deadline = deadlines.begin(request.timeoutMs);
	const isOver = cancellation.register(deadline.end);

	const exchange = transport.send(optionsOf(request), credential, controller.signal).then(
		async (response) => await readAnswer(response, request, redact),
		async (error: HelperError): Promise<Outcome<Answer<T>>> => ({
			failure: await explain(error, request, redact),
		}),
	);
	const outcome = await Promise.race([deadline.over, exchange]);

	isOver();
	deadline.end();
	// With another token, n8n has sent the request again, and the first answer is unread.
	const isClean = outcome?.answer !== undefined && credential.accessToken === accessToken;
	cancellation.release(controller, { isClean });
	keepToken(transport.credential, credential);
	if (outcome) return outcome;
	return { failure: cancellation.isCancelled ? CANCELLED : timedOut(request) };
}

function timedOut({ subject, timeoutMs }: JsonRequest<unknown>): Failure {
	return { ...describeTimeout(subject, timeoutMs), passing: true, timedOut: true };
}

/** The credential adds what concerns the connection: token, version, and whether certificates are checked. */
function optionsOf(request: JsonRequest<unknown>): IHttpRequestOptions {
	return {
		method: 'GET',
		url: request.url,
		headers: { Accept: 'application/json', ...request.headers },
		encoding: 'stream',
		returnFullResponse: true,
		disableFollowRedirect: true,
		timeout: request.timeoutMs,
	};
}

/** Keeps a token for the requests that follow: for a credential without one, n8n would store it once more for each. */
function keepToken(
	kept: ICredentialDataDecryptedObject,
	{ accessToken, tokenBinding }: ICredentialDataDecryptedObject,
): void {
	if (accessToken && tokenBinding) Object.assign(kept, { accessToken, tokenBinding });
}

async function readAnswer<T>(
	{ statusCode, headers, body: stream }: IN8nHttpFullResponse,
	{ subject, check }: JsonRequest<T>,
	redact: Redact,
): Promise<Outcome<Answer<T>>> {
	let body: Body;
	try {
		body = await readBody(stream as ByteStream);
	} catch (error) {
		const failure =
			error instanceof BodyTooLargeError
				? { ...describeTooLarge(subject, MAX_BODY_BYTES), statusCode }
				: describeNoConnection('ECONNRESET', subject);
		return { failure };
	}
	const fail = (text: FailureText) => ({
		failure: { ...text, statusCode, body: readableBody(body, redact) },
	});
	if (body.fault !== undefined) return fail(describeBodyFault(body.fault, subject));

	const document = check(body.json);
	if (document.fault !== undefined) return fail(describeBreach(document.fault, subject));
	return { answer: { statusCode, headers, json: document.value } };
}

async function explain(
	error: HelperError,
	{ subject }: JsonRequest<unknown>,
	redact: Redact,
): Promise<Failure> {
	const answer = unsuccessfulAnswer(error);
	if (!answer) return describeUnanswered(error, subject, redact);

	const { statusCode, headers, stream } = answer;
	const body = await readBody(stream).catch(() => undefined);
	return {
		...describeSiteStatus(statusCode, headers, subject, redact),
		statusCode,
		passing: isPassingStatus(statusCode),
		waitMs: parseRetryAfter(headers['retry-after'], Date.now()),
		...(body && { body: readableBody(body, redact) }),
	};
}
