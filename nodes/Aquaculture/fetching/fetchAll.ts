import { serviceDown } from '../service/noAnswerFailures';
import type { Failure, FailureKind, Result } from '../messages/failure';
import { CircuitBreaker, type BreakerState } from './circuitBreaker';
import type { Client } from '../sending/client';
import type { ServiceDocument, CheckedAnswer } from '../service/answer';
import { isTransient } from '../service/retry';
import { fetchDocument } from './fetchDocument';
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

/** After a failure of these kinds, no other document is requested. */
const STOPPING_KINDS: ReadonlyArray<FailureKind | undefined> = ['stopsAll', 'cancelled', 'notSent'];

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

/** What all that request the same document wait for. */
interface Job<Request> {
	requests: [Request, ...Request[]];
	/** Why it failed before it was postponed. */
	failure?: Failure;
	/** How often it was postponed. */
	postponed?: number;
}

/** One that the service asks to send later than its tries may take. */
interface PostponedJob<Request> extends Job<Request> {
	failure: Failure;
	/** By the system clock. */
	notBefore: number;
}

/**
 * Fetches documents of the service with several workers. Fetches a document once for all requests that need it, and gives each of
 * them a copy. A failure of the account, or the end of the maximum wait, becomes the result of all remaining documents.
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
	const {
		queue,
		account: { limiter },
	} = client;
	const beganAt = systemClock.now();
	// In reverse, because taking the last element costs the least.
	const jobs: Array<Job<Request>> = groupByDocument(requests).reverse();
	const postponed: Array<PostponedJob<Request>> = [];
	let stopFailure: Failure | undefined;
	const breaker = new CircuitBreaker(allTriesMs, () => systemClock.now() - queue.pausedMs);
	queue.announce(jobs.length, maxWaitMs);
	const pause = (askedMs: number) => limiter.pause(Math.min(askedMs, MAX_PAUSE_MS));

	const fetchNext = async (state: BreakerState) => {
		// Probe with the one furthest away, because neighbours may be slow for the same reason.
		const job = state === 'probing' ? jobs.shift() : jobs.pop();
		if (!job) return undefined;
		const result = await fetchJob(job, state);
		if (stop.signal.aborted) return undefined;
		const { failure } = result;
		if (STOPPING_KINDS.includes(failure?.kind)) stopFailure = failure;
		if (!failure || !isTransient(failure)) {
			if (!STOPPING_KINDS.includes(failure?.kind)) limiter.endPause();
			resumePostponed();
		} else if (failure.waitMs) {
			if (state !== 'closed' || limiter.isPaused) pause(failure.waitMs);
			const times = (job.postponed ?? 0) + 1;
			if (times <= (MAX_POSTPONED[state] ?? 0)) {
				const notBefore = systemClock.now() + failure.waitMs;
				postponed.push({ ...job, failure, postponed: times, notBefore });
				return failure;
			}
		}
		// The failure of the document itself says more than one that stops all.
		deliverAll(job, failure && stopFailure && job.failure ? { failure: job.failure } : result);
		return failure;
	};
	const fetchJob = async (
		{ requests: [document] }: Job<Request>,
		state: BreakerState,
	): Promise<Result<CheckedAnswer<T>, Failure>> => {
		if (stopFailure) return { failure: stopFailure };
		if (state === 'givenUp') return { failure: serviceDown() };
		const maxTries = state === 'oneTry' ? 1 : undefined;
		return await fetchDocument(client, document, { timeoutMs, allTriesMs, maxTries });
	};
	const deliverAll = (job: Job<Request>, result: Result<CheckedAnswer<T>, Failure>) => {
		// Each request but the last gets a copy, because `deliver` may change what it gets.
		for (const request of job.requests.slice(0, -1)) deliver(request, copyResult(result));
		deliver(job.requests.at(-1) ?? job.requests[0], result);
	};
	/** The service answers: sends those again whose wait is over, and fails those that would have to wait for minutes. */
	const resumePostponed = () => {
		for (const job of postponed.splice(0)) {
			const waitMs = job.notBefore - systemClock.now();
			if (waitMs <= 0) jobs.push(job);
			else if (waitMs <= MINUTE_MS) postponed.push(job);
			else deliverAll(job, { failure: job.failure });
		}
	};
	const work = async () => {
		while (jobs.length > 0 && !stop.signal.aborted) {
			await breaker.call(fetchNext);
			if (jobs.length === 0 && breaker.state !== 'closed') {
				// No other is left to probe with.
				for (const job of postponed.splice(0)) {
					pause(job.notBefore - systemClock.now());
					jobs.push(job);
				}
			}
		}
	};
	try {
		await Promise.all(Array.from({ length: Math.min(WORKERS, jobs.length) }, work));
		for (const job of postponed) deliverAll(job, { failure: job.failure });
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

function copyResult<T>(result: Result<CheckedAnswer<T>, Failure>): typeof result {
	if (result.failure) return result;
	return { value: { ...result.value, json: structuredClone(result.value.json) } };
}
