import type { Queue } from '../../../shared/budget/queue';
import { MESSAGES } from '../../../shared/messages';
import type { Answer } from './answer';
import { CANCELLED, lastFailure, type Failure } from './failure';
import type { Outcome } from './outcome';
import { requestDocument, type Attempt, type DocumentRequest } from './request';
import { Tries, type RetryLimits } from './tries';
import type { Transport } from './transport';

/** How often a request is sent with another token in one try: accounts are known whose tokens end each other. */
const MAX_TOKENS = 4;

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
export class Reading {
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
		const clock = new Tries(this.limits);
		let reported: Failure | undefined;
		for (;;) {
			const tryMs = clock.beginTry();
			if (clock.tries > 1) this.repeatedRequests += 1;
			const { outcome, tookMs, retryReason } = await this.tryOnce(request, tryMs);
			if (outcome.value) return outcome;
			if (this.transport.cancellation.isCancelled) return { failure: CANCELLED };
			if (retryReason === 'noPlace') return reported ? { failure: reported } : outcome;
			if (!outcome.failure.retryable) return outcome;

			clock.spend(tookMs);
			const { waitMs } = outcome.failure;
			reported = preferAnswered(
				reported,
				this.failureOfTry(outcome.failure, request, tryMs, clock),
			);
			const pauseMs = clock.nextPause(waitMs);
			if (pauseMs === undefined) return { failure: lastFailure(reported, clock, waitMs) };
			await this.transport.cancellation.pause(pauseMs);
			clock.spend(pauseMs);
		}
	}

	/** Sends a request until the answer is about the document, and not a refusal (429) or a rejected token. */
	private async tryOnce<T>(
		request: DocumentRequest<T>,
		tryMs: number,
	): Promise<Attempt<Answer<T>>> {
		const { transport, queue } = this;
		for (let tokens = 1; ; ) {
			const attempt = await requestDocument(transport, queue, request, tryMs);
			const { retryReason } = attempt;
			if (transport.cancellation.isCancelled || attempt.outcome.value) return attempt;
			if (retryReason === 'refused') this.refusedRequests += 1;
			else if (retryReason === 'rejected' && tokens < MAX_TOKENS) tokens += 1;
			else if (retryReason === 'rejected' || retryReason === 'contested') {
				const text = MESSAGES.status.contested(request.subject);
				return { ...attempt, outcome: { failure: { ...attempt.outcome.failure, ...text } } };
			} else return attempt;
		}
	}

	/** If the time for all tries cut a try short, the message names that option, since raising it helps. */
	private failureOfTry(
		failure: Failure,
		{ subject }: DocumentRequest<unknown>,
		tryMs: number,
		{ totalMs }: Tries,
	): Failure {
		const isCutShort = failure.timedOut && tryMs < this.limits.timeoutMs;
		return isCutShort
			? { ...failure, ...MESSAGES.limits.triesTookTooLong(subject, totalMs) }
			: failure;
	}
}

/** Prefers an earlier answer of the service to the failure of a later try that got no answer. */
function preferAnswered(before: Failure | undefined, last: Failure): Failure {
	return last.statusCode === undefined && before?.statusCode !== undefined ? before : last;
}
