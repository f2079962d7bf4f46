import type { Queue } from '../../../account/limit/queue';
import { MESSAGES } from '../../../texts/messages';
import type { Answer } from './answer';
import { CANCELLED, lastFailure, type Failure } from './failure';
import type { Outcome } from './outcome';
import { requestDocument, type Attempt, type DocumentRequest } from './request';
import { Tries, type RetryLimits } from './tries';
import type { Transport } from './transport';

/** How documents are read. */
export interface RequestLimits extends RetryLimits {
	/** How many requests may be under way at once. */
	concurrentRequests: number;
	/** How long all requests together may wait for the account's budget, in milliseconds. */
	maxWaitMs: number;
	/** Until when they may wait for it, by the clock of `performance.now()`. */
	waitEndsAt?: number;
}

/** Reads documents, each with its retries. */
export class RetryingReader {
	/** How many requests were sent once more because they had failed. */
	repeatedRequests = 0;

	/** How many requests the service has refused because there were too many. */
	refusedRequests = 0;

	constructor(
		private readonly transport: Transport,
		private readonly queue: Queue,
		private readonly limits: RetryLimits,
	) {}

	/** Sends a request until it has succeeded, has failed for good, or has used up its tries or its time. */
	async read<T>(request: DocumentRequest<T>): Promise<Outcome<Answer<T>>> {
		const { cancellation } = this.transport;
		const tries = new Tries(this.limits);
		let failureSoFar: Failure | undefined;
		for (;;) {
			const timeoutMs = tries.begin();
			if (tries.count > 1) this.repeatedRequests += 1;
			const { outcome, tookMs } = await this.tryUntilAnswered(request, timeoutMs);
			const { failure } = outcome;
			if (!failure) return outcome;
			if (cancellation.isCancelled) return { failure: CANCELLED };
			if (failure.noPlace) return { failure: failureSoFar ?? failure };
			if (!failure.retryable) return outcome;

			tries.spend(tookMs);
			failureSoFar = preferAnswered(
				failureSoFar,
				this.failureOfTry(failure, request, timeoutMs, tries),
			);
			const pauseMs = tries.pauseMs(failure.waitMs);
			if (pauseMs === undefined)
				return { failure: lastFailure(failureSoFar, tries, failure.waitMs) };
			await cancellation.pause(pauseMs);
			tries.spend(pauseMs);
		}
	}

	/**
	 * Sends a request until its answer is about the document: a refusal (429) or a rejected token is not. The account bounds
	 * how often that happens, since after a few exchanges of the token a rejection is final.
	 */
	private async tryUntilAnswered<T>(
		request: DocumentRequest<T>,
		timeoutMs: number,
	): Promise<Attempt<Answer<T>>> {
		const { transport, queue } = this;
		for (;;) {
			const attempt = await requestDocument(transport, queue, request, timeoutMs);
			if (attempt.resendReason === 'refused') this.refusedRequests += 1;
			if (!attempt.resendReason || transport.cancellation.isCancelled) return attempt;
		}
	}

	/** If the time for all tries cut a try short, the message names that option, since raising it helps. */
	private failureOfTry(
		failure: Failure,
		{ subject }: DocumentRequest<unknown>,
		timeoutMs: number,
		{ totalMs }: Tries,
	): Failure {
		const isCutShort = failure.timedOut && timeoutMs < this.limits.timeoutMs;
		return isCutShort
			? { ...failure, ...MESSAGES.limits.triesTookTooLong(subject, totalMs) }
			: failure;
	}
}

/** Prefers an earlier answer of the service to the failure of a later try that got no answer. */
function preferAnswered(before: Failure | undefined, last: Failure): Failure {
	return last.statusCode === undefined && before?.statusCode !== undefined ? before : last;
}
