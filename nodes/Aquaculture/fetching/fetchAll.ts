import { serviceDown } from '../service/requestFailures';
import { concernsAll, isTransient, type Failure, type Result } from '../messages/failure';
import { CircuitBreaker, type BreakerState } from './circuitBreaker';
import type { Client } from '../sending/client';
import type { ServiceDocument, CheckedAnswer } from '../service/answer';
import { fetchDocument } from './fetchDocument';
import { Jobs, type Job } from './jobs';
import type { Queue } from '../limit/queue';
import { MINUTE_MS, SECOND_MS, systemClock } from '../utils/time';

/**
 * More than the rate limiter allows in flight at 100 requests a minute, so that some always wait. At 10,000, they are enough if
 * an answer takes up to 120 ms.
 */
const WORKERS = 20;

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
	/** Time for all tries of a document and the pauses between them, in milliseconds. */
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
 * Several workers take one document after the other. {@link fetchDocument} sends it, and sends it again if need be, while
 * {@link CircuitBreaker} says how often. Then its result is delivered, or {@link Jobs} postpones it, because the service asks for
 * that. After a failure that concerns all documents, such as a refused login, that is the result of those that are left.
 *
 * @param deliver called once for each request, when its result arrives. If it throws, requests in flight are cancelled, and
 *   nothing more is sent.
 * @throws what `deliver` throws.
 */
export async function fetchAll<T, Details>(
	{ signal: cancelled, ...rest }: Client,
	requests: ReadonlyArray<ServiceDocument<T> & Details>,
	{ maxWaitMs, timeoutMs, allTriesMs = 45 * SECOND_MS }: FetchLimits,
	deliver: (
		request: ServiceDocument<T> & Details,
		result: Result<CheckedAnswer<T>, Failure>,
	) => void,
): Promise<Statistics> {
	type Request = ServiceDocument<T> & Details;
	const stop = new AbortController();
	const signal = cancelled ? AbortSignal.any([cancelled, stop.signal]) : stop.signal;
	const client = { ...rest, signal };
	const { queue, account } = client;
	const { limiter } = account;
	const beganAt = systemClock.now();
	const jobs = new Jobs<Request>(requests);
	const breaker = new CircuitBreaker(allTriesMs, () => systemClock.now() - queue.pausedMs);
	let stopFailure: Failure | undefined;

	const work = async () => {
		while (jobs.count > 0 && !stopFailure && !stop.signal.aborted) {
			await breaker.call(fetchNext);
			const nothingIsAnswered = jobs.count === 0 && breaker.state !== 'closed' && !stopFailure;
			if (nothingIsAnswered) pause(jobs.resumeAll());
		}
	};
	const fetchNext = async (state: BreakerState) => {
		// Probe with the one furthest away, because neighbours may be slow for the same reason.
		const job = stopFailure ? undefined : jobs.take(state === 'probing' ? 'end' : 'start');
		if (!job) return undefined;
		const result = await fetchJob(job, state);
		if (stop.signal.aborted) return undefined;
		const { failure } = result;
		if (failure && concernsAll(failure)) {
			stopFailure = failure;
			deliverFailure(job, failure);
		} else if (failure && isTransient(failure)) {
			if (!postpone(job, failure, state)) deliverAll(job, result);
		} else {
			limiter.endPause();
			for (const late of jobs.resume()) deliverFailure(late);
			deliverAll(job, result);
		}
		return result;
	};
	const fetchJob = async ({ requests: [document] }: Job<Request>, state: BreakerState) => {
		if (state === 'givenUp') return { failure: serviceDown() };
		const maxTries = state === 'oneTry' ? 1 : undefined;
		return await fetchDocument(client, document, { timeoutMs, allTriesMs, maxTries });
	};
	/** Obeys a service that asks to wait. @returns whether the document is postponed. */
	const postpone = (job: Job<Request>, failure: Failure, state: BreakerState) => {
		const { waitMs = 0 } = failure;
		if (state !== 'closed' || limiter.isPaused) pause(waitMs);
		const mayPostpone = waitMs > 0 && job.timesPostponed < (MAX_POSTPONED[state] ?? 0);
		if (mayPostpone) jobs.postpone(job, failure, waitMs);
		return mayPostpone;
	};
	const pause = (askedMs: number) => limiter.pause(Math.min(askedMs, MAX_PAUSE_MS));
	/** The failure of the document itself says more than one that stops all. */
	const deliverFailure = (job: Job<Request>, otherwise = stopFailure) => {
		const failure = job.failure ?? otherwise;
		if (failure) deliverAll(job, { failure });
	};
	const deliverAll = (job: Job<Request>, result: Result<CheckedAnswer<T>, Failure>) => {
		// Each request but the last gets a copy, because `deliver` may change what it gets.
		for (const request of job.requests.slice(0, -1)) deliver(request, copyResult(result));
		deliver(job.requests.at(-1) ?? job.requests[0], result);
	};

	queue.announce(jobs.count, maxWaitMs);
	try {
		await Promise.all(Array.from({ length: Math.min(WORKERS, jobs.count) }, work));
		for (const job of jobs.takeAll()) deliverFailure(job);
	} finally {
		stop.abort();
	}
	return createStatistics(queue, systemClock.now() - beganAt);
}

function createStatistics({ waited, waitedMs }: Queue, tookMs: number): Statistics {
	const limit = waited.rate;
	const refusals = waited.cooldown + waited.reducedRate;
	const service = tookMs - limit - refusals;
	const slowedBy =
		service > Math.max(limit, refusals) ? 'service' : refusals > limit ? 'refusals' : 'limit';
	return { tookMs, waitedMs, slowedBy };
}

function copyResult<T>(result: Result<CheckedAnswer<T>, Failure>): typeof result {
	if (result.failure) return result;
	return { value: { ...result.value, json: structuredClone(result.value.json) } };
}
