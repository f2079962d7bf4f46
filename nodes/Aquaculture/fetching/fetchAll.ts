import { serviceDown } from '../service/requestFailures';
import type { Failure, Result } from '../messages/failure';
import { CircuitBreaker, type BreakerState } from './circuitBreaker';
import type { Client } from '../sending/client';
import type { ServiceDocument, CheckedAnswer } from '../service/answer';
import { fetchDocument } from './fetchDocument';
import type { Queue } from '../limit/queue';
import { MINUTE_MS, SECOND_MS, systemClock } from '../utils/time';

/*
 * How are many documents fetched, and what makes one wait?
 *
 * | Why a document waits                                                            | At most                                       | Decided in           |
 * | ------------------------------------------------------------------------------- | --------------------------------------------- | -------------------- |
 * | it needs a slot: request limit, slow start, cooldown after a 429                | 'Maximum Wait', or the end of the poll        | limit/rateLimiter.ts |
 * | it needs a login: there is no token                                             | a minute for its tries, and one for each slot | sending/logIn.ts     |
 * | it needs another token: it was answered with 401                                | ten seconds, then for that login              | login/tokenSource.ts |
 * | it is sent again: a try has failed                                              | 45 seconds, in a poll 25, tries included      | fetchDocument.ts     |
 * | it is sent again after all others: the service asked for a longer wait          | until these are done, once                    | `postponed` below    |
 * | another one probes: five in a row have failed                                   | twice the time for all tries                  | circuitBreaker.ts    |
 * | nothing is sent by anybody: five in a row failed, and the service asked to wait | 'Maximum Wait', or the end of the poll        | `pauseIfDown` below  |
 */

/**
 * More than the rate limiter allows in flight at 100 requests a minute, so that some always wait. At 10,000, they are enough if
 * an answer takes up to 120 ms.
 */
const WORKERS = 20;

const ALL_TRIES_MS = 45 * SECOND_MS;

/** Everything that uses the account waits, so probe again after this time: perhaps only these documents fail. */
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

/** A document, for all requests that need it. */
interface Job<Request> {
	requests: [Request, ...Request[]];
	/** Why it has failed; undefined unless it is sent again. */
	failure?: Failure;
}

/**
 * Several workers, each of which takes one document after the other. {@link fetchDocument} sends it, with as many tries as
 * {@link CircuitBreaker} allows. If it fails, and the service asks to wait, it is sent once more, after all others. After a failure
 * that concerns all documents, such as a refused login, that is the result of those that are left.
 */
class Fetching<T, Request extends ServiceDocument<T>> {
	private readonly client: Client & { signal: AbortSignal };
	private readonly limits: FetchLimits & { allTriesMs: number };
	/** In reverse, because taking the last element costs the least. */
	private readonly unsent: Array<Job<Request>>;
	/** To be sent again after all others, because the service asks for a longer wait than a document's own time. */
	private readonly postponed: Array<Job<Request>> = [];
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
		this.unsent = groupByDocument(requests).reverse();
		// Two documents may use up their tries before the others get one each. An execution gives up after not quite four minutes.
		const times = { oneTryAfterMs: 2 * allTriesMs, givenUpAfterMs: 5 * allTriesMs };
		this.breaker = new CircuitBreaker(times, () => systemClock.now() - queue.pausedMs);
	}

	/** @throws what `deliver` throws. */
	async run(): Promise<void> {
		const { unsent, postponed } = this;
		const count = unsent.length;
		this.client.queue.announce(count, this.limits.maxWaitMs);
		try {
			await this.fetchEach(unsent);
			// In reverse, so that those that have waited longest come first.
			if (this.shouldResend(count)) await this.fetchEach(postponed.reverse());
			for (const job of [...unsent.reverse(), ...postponed]) this.finishUnread(job);
		} finally {
			this.abort.abort();
		}
	}

	/**
	 * Whether to send the postponed documents again. It is too early if there are no others, and too late if none was answered
	 * while each got one try.
	 *
	 * @param count how many documents there are in all.
	 */
	private shouldResend(count: number): boolean {
		const { state } = this.breaker;
		return state === 'probing' || (state === 'closed' && this.postponed.length < count);
	}

	private async fetchEach(jobs: Array<Job<Request>>): Promise<void> {
		const workers = Math.min(WORKERS, jobs.length);
		await Promise.all(Array.from({ length: workers }, async () => await this.work(jobs)));
	}

	private async work(jobs: Array<Job<Request>>): Promise<void> {
		while (jobs.length > 0 && !this.isStopped) {
			await this.breaker.call(async (state) => await this.fetchNext(jobs, state));
		}
	}

	private get isStopped(): boolean {
		return this.stopFailure !== undefined || this.abort.signal.aborted;
	}

	/** Fetches one document, if any is left. */
	private async fetchNext(jobs: Array<Job<Request>>, state: BreakerState): Promise<void> {
		if (this.isStopped) return;
		// Probe with the one furthest away, because neighbours may be slow for the same reason.
		const job = state === 'probing' ? jobs.shift() : jobs.pop();
		if (!job) return;
		if (state === 'givenUp') {
			this.stop(job, serviceDown());
			return;
		}
		const [document] = job.requests;
		const maxTries = state === 'oneTry' ? 1 : undefined;
		const result = await fetchDocument(this.client, document, { ...this.limits, maxTries });
		if (this.abort.signal.aborted) return;
		const { failure } = result;
		// A second failure does not count: those that always fail come last in a row, and would look like an outage.
		const failsAgain = job.failure && failure?.isTransient;
		if (!failsAgain) this.breaker.record(result);
		if (failure?.stopsAll) this.stop(job, failure);
		else if (failure?.isTransient) {
			// Before everything waits, one document probes: perhaps only neighbours fail.
			const isProbeNext = state === 'closed' && jobs.length > 0;
			if (!isProbeNext) this.pauseIfDown(failure);
			this.postponeOrFinish(job, failure);
		} else this.finishAnswered(job, result);
	}

	private stop(job: Job<Request>, failure: Failure): void {
		this.stopFailure = failure;
		this.finishUnread(job);
	}

	/** Pauses everything that uses the account, if five in a row have failed and the service asks for it. */
	private pauseIfDown({ waitMs = 0 }: Failure): void {
		if (this.breaker.state === 'closed') return;
		this.client.account.limiter.pause(Math.min(waitMs, MAX_PAUSE_MS));
	}

	private postponeOrFinish(job: Job<Request>, failure: Failure): void {
		const { waitMs = 0 } = failure;
		if (waitMs > 0 && !job.failure) this.postponed.push({ ...job, failure });
		else this.finish(job, { failure });
	}

	/** The service is not down, so it also ends the wait of others. */
	private finishAnswered(job: Job<Request>, result: DocumentResult<T>): void {
		this.client.account.limiter.endPause();
		this.finish(job, result);
	}

	/** Finishes a document without sending it again. Its own failure says more than one that stops all, but for a cancellation. */
	private finishUnread(job: Job<Request>): void {
		const { stopFailure } = this;
		const failure = stopFailure?.kind === 'cancelled' ? stopFailure : (job.failure ?? stopFailure);
		if (failure) this.finish(job, { failure });
	}

	private finish({ requests }: Job<Request>, result: DocumentResult<T>): void {
		// Each request but the last gets a copy, because `deliver` may change what it gets.
		for (const request of requests.slice(0, -1)) this.deliver(request, copyResult(result));
		this.deliver(requests.at(-1) ?? requests[0], result);
	}
}

/** Groups the requests by document, in the order of the first request for each. */
function groupByDocument<Request extends ServiceDocument<unknown>>(
	requests: readonly Request[],
): Array<Job<Request>> {
	const jobs = new Map<string, Job<Request>>();
	for (const request of requests) {
		const job = jobs.get(request.path);
		if (job) job.requests.push(request);
		else jobs.set(request.path, { requests: [request] });
	}
	return [...jobs.values()];
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
