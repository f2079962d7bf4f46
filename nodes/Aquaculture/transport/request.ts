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
	readBody,
	type Body,
	type ByteStream,
} from '../../../shared/body';
import type { Connection } from '../../../shared/connection';
import type { FailureText } from '../../../shared/connectionFailures';
import { redactJson, redactor, type Redact } from '../../../shared/redact';
import { isPassingStatus, parseRetryAfter } from '../../../shared/retry';
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

/**
 * Sends one request and reads its answer, bounded in time and size.
 *
 * The body is read as a stream, because n8n's helper limits neither the size of a body nor the time that it takes:
 * its `timeout` is for silence only (n8n 1.123 and 2.40).
 *
 * @param timeoutMs time for the whole exchange, the last byte of the body included, in milliseconds.
 */
export async function requestDocument<T>(
	transport: Transport,
	request: DocumentRequest<T>,
	timeoutMs: number,
): Promise<Outcome<Answer<T>>> {
	// A copy for each request: the credential tells by it which token a rejected request was signed with.
	const credential = { ...transport.credential };
	const { accessToken } = credential;
	const redact: Redact = (text) => redactor([credential.password, credential.accessToken])(text);
	const { cancellation, connection, deadlines } = transport;
	const controller = cancellation.controller();
	const deadline = deadlines.begin(timeoutMs);
	const isOver = cancellation.register(deadline.end);

	const options = optionsOf(request, connection, timeoutMs);
	const sending = transport.send(options, credential, controller.signal).then(
		async (response) => await readAnswer(response, request, redact),
		async (error: HelperError): Promise<Outcome<Answer<T>>> => ({
			failure: await explain(error, request, redact),
		}),
	);
	const outcome = await Promise.race([deadline.over, sending]);

	isOver();
	deadline.end();
	// With another token, n8n has sent the request again, and the first answer is unread.
	const isClean = outcome?.answer !== undefined && credential.accessToken === accessToken;
	cancellation.release(controller, { isClean });
	keepToken(transport.credential, credential);
	if (outcome) return outcome;
	if (cancellation.isCancelled) return { failure: CANCELLED };
	return {
		failure: { ...describeTimeout(request.subject, timeoutMs), passing: true, timedOut: true },
	};
}

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
		timeout,
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
	{ subject, check }: DocumentRequest<T>,
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
	return {
		answer: {
			statusCode,
			headers: redactJson(headers, redact) as IDataObject,
			json: redactJson(document.value, redact, body.text) as T,
		},
	};
}

async function explain(
	error: HelperError,
	{ subject }: DocumentRequest<unknown>,
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
