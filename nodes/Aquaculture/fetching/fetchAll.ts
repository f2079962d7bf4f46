import { serviceDown } from '../service/requestFailures';
import type { Failure, Result } from '../messages/failure';
import { CircuitBreaker, type BreakerState } from './circuitBreaker';
import type { Client } from '../sending/client';
import type { ServiceDocument, CheckedAnswer } from '../service/answer';
import { fetchDocument } from './fetchDocument';
import { Jobs, type Job } from './jobs';
import type { Queue } from '../limit/queue';
import { MINUTE_MS, SECOND_MS, systemClock } from '../utils/time';

/*
 * How are many documents fetched, and what makes one wait?
 *
 * | A document waits                                                  | At most                                          | Decided in              |
 * | ----------------------------------------------------------------- | ------------------------------------------------ | ----------------------- |
 * | for a slot: request limit, slow start, cooldown after a 429       | 'Maximum Wait', or the end of the poll           | limit/rateLimiter.ts    |
 * | for a login: there is no token                                    | a minute for its tries, and one for each slot    | sending/logIn.ts        |
 * | for another token: it was answered with 401                       | ten seconds, then for that login                 | login/tokenSource.ts    |
 * | to be sent again: a try has failed                                | 45 seconds, in a poll 25, tries included         | fetchDocument.ts        |
 * | for another one that probes: five in a row have failed            | twice that time                                  | circuitBreaker.ts       |
 * | like all others: five in a row have failed, and ask for a wait    | 'Maximum Wait', or the end of the poll           | `pause` below           |
 * | for a while alone: it has failed, and asks for more than its time | until others are done                            | jobs.ts                 |
 */

/**
 * More than the rate limiter allows in flight at 100 requests a minute, so that some always wait. At 10,000, they are enough if
 * an answer takes up to 120 ms.
 */
const WORKERS = 20;

const ALL_TRIES_MS = 45 * SECOND_MS;

/**
 * How often a document may be postponed in this state, because the service asks for it. While nothing is answered, more often: the
 * service may be down. But each time, nothing else is sent either, and perhaps only these documents fail.
 */
const MAX_POSTPONED: Partial<Record<BreakerState, number>> = { closed: 1, probing: 2 };

/** Everybody who uses the account waits, so ask again this often at least: perhaps only these documents fail. */
const MAX_PAUSE_MS = 15 * MINUTE_MS;

export interface FetchLimits {
	/** Time for the whole answer to one try, in milliseconds. */
	timeoutMs: number;
	/** Time for all tries of a document and the pauses between them, in milliseconds, or `timeoutMs` if that is longer. */
	allTriesMs?: number;
	/** How long all requests together may be held up, in milliseconds; absent if the client has a deadline. */
	maxWaitMs?: number;
}

/** Times in milliseconds. */
export interface Statistics {
	tookMs: number;
	/** How long the rate limiter has held up the requests. */
	waitedMs: number;
	/** What took most of the time: the request limit, refusals (429), or the service, which was slow or down. */
	slowedBy: 'limit' | 'refusals' | 'service';
}

/**
 * Fetches documents of the service, each once for all requests that need it.
 *
 * @param deliver called once for each request, when its result arrives. If it throws, requests in flight are cancelled, and
 *   nothing more is sent.
 * @throws what `deliver` throws.
 */
export async function fetchAll<T, Details>(
	client: Client,
	requests: ReadonlyArray<ServiceDocument<T> & Details>,
	limits: FetchLimits,
	deliver: Deliver<T, ServiceDocument<T> & Details>,
): Promise<Statistics> {
	const beganAt = systemClock.now();
	await new Fetching(client, requests, limits, deliver).run();
	return createStatistics(client.queue, systemClock.now() - beganAt);
}

type DocumentResult<T> = Result<CheckedAnswer<T>, Failure>;
type Deliver<T, Request> = (request: Request, result: DocumentResult<T>) => void;

/**
 * Several workers, each of which takes one document after the other. {@link fetchDocument} sends it, and sends it again if need be,
 * while {@link CircuitBreaker} says how often. Then it is either finished, or {@link Jobs} postpones it, because the service asks
 * for that. After a failure that concerns all documents, such as a refused login, that is the result of those that are left.
 */
class Fetching<T, Request extends ServiceDocument<T>> {
	private readonly client: Client & { signal: AbortSignal };
	private readonly limits: FetchLimits & { allTriesMs: number };
	private readonly jobs: Jobs<Request>;
	private readonly breaker: CircuitBreaker;
	/** A failure that concerns all documents. After it, no more are taken, but those in flight are finished. */
	private stopFailure: Failure | undefined;
	/** Aborted if `deliver` throws: cancels those in flight, too. */
	private readonly abort = new AbortController();

	constructor(
		client: Client,
		requests: readonly Request[],
		limits: FetchLimits,
		private readonly deliver: Deliver<T, Request>,
	) {
		const { queue, signal: cancelled } = client;
		const { signal } = this.abort;
		this.client = { ...client, signal: cancelled ? AbortSignal.any([cancelled, signal]) : signal };
		// A longer 'Timeout' leaves time for one try.
		const allTriesMs = Math.max(limits.allTriesMs ?? ALL_TRIES_MS, limits.timeoutMs);
		this.limits = { ...limits, allTriesMs };
		this.jobs = new Jobs(requests);
		// Two documents may use up their tries before the others get one each. An execution gives up after not quite four minutes.
		const times = { oneTryAfterMs: 2 * allTriesMs, givenUpAfterMs: 5 * allTriesMs };
		this.breaker = new CircuitBreaker(times, () => systemClock.now() - queue.pausedMs);
	}

	/** @throws what `deliver` throws. */
	async run(): Promise<void> {
		this.client.queue.announce(this.jobs.count, this.limits.maxWaitMs);
		const workers = Math.min(WORKERS, this.jobs.count);
		try {
			await Promise.all(Array.from({ length: workers }, async () => await this.work()));
			for (const job of this.jobs.takeAll()) this.finishUnread(job);
		} finally {
			this.abort.abort();
		}
	}

	private async work(): Promise<void> {
		while (this.jobs.count > 0 && !this.isStopped) {
			await this.breaker.call(async (state) => await this.fetchNext(state));
			if (this.jobs.count === 0 && this.breaker.state !== 'closed' && !this.isStopped) {
				// Nothing is answered, and only postponed documents are left.
				this.pause(this.jobs.longestWaitMs);
				this.jobs.resumeAll();
			}
		}
	}

	private get isStopped(): boolean {
		return this.stopFailure !== undefined || this.abort.signal.aborted;
	}

	/** Fetches one document; its steps follow in order. @returns undefined if there is none left. */
	private async fetchNext(state: BreakerState): Promise<DocumentResult<T> | undefined> {
		const job = this.take(state);
		if (!job) return undefined;
		const result = await this.fetch(job, state);
		if (this.abort.signal.aborted) return undefined;
		const { failure } = result;
		if (failure?.stopsAll) this.stop(job, failure);
		else if (failure?.isTransient) this.postponeOrFinish(job, failure, state);
		else this.finishAnswered(job, result);
		return result;
	}

	private take(state: BreakerState): Job<Request> | undefined {
		if (this.isStopped) return undefined;
		// Probe with the one furthest away, because neighbours may be slow for the same reason.
		return this.jobs.take(state === 'probing' ? 'end' : 'start');
	}

	private async fetch({ requests: [document] }: Job<Request>, state: BreakerState) {
		if (state === 'givenUp') return { failure: serviceDown() };
		const maxTries = state === 'oneTry' ? 1 : undefined;
		return await fetchDocument(this.client, document, { ...this.limits, maxTries });
	}

	private stop(job: Job<Request>, failure: Failure): void {
		this.stopFailure = failure;
		this.finishUnread(job);
	}

	/** Obeys a service that asks to wait. */
	private postponeOrFinish(job: Job<Request>, failure: Failure, state: BreakerState): void {
		const { waitMs = 0 } = failure;
		if (state !== 'closed' || this.client.account.limiter.isPaused) this.pause(waitMs);
		const mayPostpone = waitMs > 0 && job.timesPostponed < (MAX_POSTPONED[state] ?? 0);
		if (mayPostpone) this.jobs.postpone(job, failure, waitMs);
		else this.finish(job, { failure });
	}

	private pause(askedMs: number): void {
		this.client.account.limiter.pause(Math.min(askedMs, MAX_PAUSE_MS));
	}

	/** The service is not down, so it also ends the wait of others. */
	private finishAnswered(job: Job<Request>, result: DocumentResult<T>): void {
		this.client.account.limiter.endPause();
		this.jobs.resumeDue();
		for (const late of this.jobs.takeLate()) this.finishUnread(late);
		this.finish(job, result);
	}

	/** Finishes a document without sending it again. Its own failure says more than one that stops all. */
	private finishUnread(job: Job<Request>): void {
		const failure = job.failure ?? this.stopFailure;
		if (failure) this.finish(job, { failure });
	}

	private finish({ requests }: Job<Request>, result: DocumentResult<T>): void {
		// Each request but the last gets a copy, because `deliver` may change what it gets.
		for (const request of requests.slice(0, -1)) this.deliver(request, copyResult(result));
		this.deliver(requests.at(-1) ?? requests[0], result);
	}
}

function createStatistics({ waited, waitedMs }: Queue, tookMs: number): Statistics {
	const limit = waited.rate;
	const refusals = waited.cooldown + waited.reducedRate;
	const service = tookMs - limit - refusals;
	const slowedBy =
		service > Math.max(limit, refusals) ? 'service' : refusals > limit ? 'refusals' : 'limit';
	return { tookMs, waitedMs, slowedBy };
}

function copyResult<T>(result: DocumentResult<T>): DocumentResult<T> {
	if (result.failure) return result;
	return { value: { ...result.value, json: structuredClone(result.value.json) } };
}
