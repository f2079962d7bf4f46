import type {
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';
import type { ServiceDocument } from '../../../api/document';
import type { Place } from '../../../shared/budget/budget';
import { announce, type CarriedToken } from '../../../shared/account/requestContext';
import type { Connection } from '../../../shared/connection';
import { MESSAGES } from '../../../shared/messages';
import { retryAfterMs, TOO_MANY_REQUESTS } from '../../../shared/retry';
import { isSuccess, readAnswer, type Answer } from './answer';
import type { AbortScope } from './cancellation';
import { CANCELLED, unansweredFailure, type Failure, type HelperError } from './failure';
import type { Outcome } from './outcome';
import { redactionOf, type Redaction } from './redaction';
import type { Transport } from './transport';

/** A GET request for a document of the service. */
export interface DocumentRequest<T> extends ServiceDocument<T> {
	/** Value of the version header, where it is not the credential's. */
	dataVersion?: string | undefined;
}

/** The result of one request. */
export interface Attempt<T> {
	outcome: Outcome<T>;
	/** How long it took from when it was sent, in milliseconds. */
	tookMs: number;
	/** Set if the outcome says nothing about the document: why. */
	inconclusive?: Inconclusive | undefined;
}

type Inconclusive =
	/** The service has refused it because there are too many requests. */
	| 'refused'
	/** Its token was rejected, and there is another one or one may be obtained. */
	| 'needsToken'
	/** It was not sent, because it would have had to wait for its turn for too long. */
	| 'tooLate';

/**
 * Sends one request, as soon as its account may send it, and reads its answer, bounded in time and size. It never throws.
 *
 * @param timeoutMs time from sending to the last byte of the body, in milliseconds.
 * @param maxWaitMs how long it may still wait before it is sent, in milliseconds: a login may make it wait again.
 */
export async function requestDocument<T>(
	transport: Transport,
	request: DocumentRequest<T>,
	timeoutMs: number,
	maxWaitMs: () => number,
): Promise<Attempt<Answer<T>>> {
	const pending = new PendingRequest(transport, request, timeoutMs);
	pending.registerWithCredential(maxWaitMs);
	const outcome = await pending.send();
	return pending.close(outcome);
}

/** A request that waits for its turn, is sent, and is answered or ended. */
class PendingRequest<T> {
	/** A copy for each request: the credential recognises the request by it. */
	private readonly credential: ICredentialDataDecryptedObject;

	private readonly redaction: Redaction;

	private readonly scope: AbortScope;

	/** By the clock of `performance.now()`; undefined while it waits for its turn. */
	private sentAt: number | undefined;

	/** What it was sent with. */
	private token: CarriedToken | undefined;

	/** Its place in the budget, until the answer has been reported to it. */
	private place: Place | undefined;

	private inconclusive: Inconclusive | undefined;

	constructor(
		private readonly transport: Transport,
		private readonly request: DocumentRequest<T>,
		private readonly timeoutMs: number,
	) {
		this.credential = { ...transport.credential };
		this.redaction = redactionOf(this.credential);
		this.scope = transport.cancellation.begin();
	}

	/** The credential signs the request when its turn has come. */
	registerWithCredential(maxWaitMs: () => number): void {
		const { signal } = this.scope;
		announce(this.credential, {
			account: this.transport.account,
			document: this.request.path,
			lane: this.transport.lane,
			maxWaitMs,
			signal,
			onSent: (place, token) => {
				// It was cancelled just as its turn came: n8n sends nothing with an aborted signal.
				if (signal.aborted) place.giveBack();
				else this.startTimeout(place, token);
			},
			onTooLate: () => {
				this.inconclusive = 'tooLate';
			},
		});
	}

	private startTimeout(place: Place, token: CarriedToken): void {
		this.place = place;
		this.token = token;
		this.sentAt = performance.now();
		this.scope.abortAfter(this.timeoutMs);
	}

	/** @returns undefined if the request was cancelled. */
	async send(): Promise<Outcome<Answer<T>> | undefined> {
		const { transport, request, timeoutMs, credential, redaction } = this;
		const options = optionsOf(request, transport.connection, timeoutMs);
		const answered = transport
			.send(options, credential, this.scope.signal)
			.then(
				async (response) => await this.read(response),
				(error: HelperError) => this.unanswered(error),
			)
			.catch((error: Error) => ({
				failure: MESSAGES.answer.unprocessed(request.subject, redaction.redact(error.message)),
			}));
		return (await Promise.race([this.scope.aborted, answered])) ?? undefined;
	}

	private async read(response: IN8nHttpFullResponse): Promise<Outcome<Answer<T>>> {
		this.reportToAccount(response);
		return await readAnswer(response, this.request, this.redaction);
	}

	/** Reports the service's answer to the budget and the token. */
	private reportToAccount(response: IN8nHttpFullResponse): void {
		const { statusCode, headers } = response;
		if (statusCode === TOO_MANY_REQUESTS) {
			this.inconclusive = 'refused';
			this.place?.refuse(retryAfterMs(headers));
		} else {
			this.place?.accept();
		}
		this.place = undefined;
		if (isSuccess(response)) this.token?.accept();
		const isRejected = statusCode === 401 || statusCode === 403;
		if (isRejected && this.token?.reject()) this.inconclusive = 'needsToken';
	}

	private unanswered(error: HelperError): { failure: Failure } {
		// The token expired while the request waited for its turn a second time, and n8n does not obtain a third one.
		if (this.sentAt === undefined && error.httpCode === '401') this.inconclusive = 'needsToken';
		return { failure: unansweredFailure(error, this.request.subject, this.redaction.redact) };
	}

	/** Cleans up, and returns the result. */
	close(outcome: Outcome<Answer<T>> | undefined): Attempt<Answer<T>> {
		const { sentAt, inconclusive } = this;
		this.scope.close();
		// A body that was not read to its end may still arrive.
		if (!outcome?.value) this.scope.abort();
		this.place?.fail();
		this.place = undefined;
		return {
			outcome: outcome ?? { failure: this.abortFailure() },
			tookMs: sentAt === undefined ? 0 : performance.now() - sentAt,
			inconclusive,
		};
	}

	/** Why it was aborted. */
	private abortFailure(): Failure {
		if (this.transport.cancellation.isCancelled) return CANCELLED;
		const { request, timeoutMs } = this;
		return {
			...MESSAGES.limits.tookTooLong(request.subject, timeoutMs),
			passing: true,
			timedOut: true,
		};
	}
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
