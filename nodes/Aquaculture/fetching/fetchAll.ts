import { serviceDown } from '../service/noAnswerFailures';
import type { Failure, FailureKind, Result } from '../messages/failure';
import { CircuitBreaker, type BreakerState } from './circuitBreaker';
import type { Client } from '../sending/client';
import type { ServiceDocument, CheckedAnswer } from '../service/answer';
import { fetchDocument, type TryLimits } from './fetchDocument';
import { systemClock } from '../utils/time';

/**
 * More than the rate limiter allows in flight at 100 requests a minute, so that some always wait. At 10,000, they are enough if
 * an answer takes up to 120 ms.
 */
const WORKERS = 20;

/** After a failure of these kinds, no other document is requested. */
const STOPPING_KINDS: ReadonlyArray<FailureKind | undefined> = ['stopsAll', 'cancelled', 'notSent'];

export interface FetchLimits extends TryLimits {
	/** How long the rate limiter may hold up all requests together, in milliseconds; absent if the client has a deadline. */
	maxWaitMs?: number;
}

/** Times in milliseconds. */
export interface Statistics {
	/** How long the rate limiter has held up the requests. */
	waitedMs: number;
	tookMs: number;
	/** Whether it has done so mostly because the service had refused requests. */
	wasSlowedByRefusals: boolean;
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
	{ maxWaitMs, ...limits }: FetchLimits,
	deliver: (
		request: ServiceDocument<T> & Details,
		result: Result<CheckedAnswer<T>, Failure>,
	) => void,
): Promise<Statistics> {
	const stop = new AbortController();
	const signal = cancelled ? AbortSignal.any([cancelled, stop.signal]) : stop.signal;
	const client = { ...rest, signal };
	const { queue } = client;
	const beganAt = systemClock.now();
	// In reverse, because taking the last element costs the least.
	const jobs = groupByDocument(requests).reverse();
	let stopFailure: Failure | undefined;
	const breaker = new CircuitBreaker();
	queue.announce(jobs.length, maxWaitMs);

	const fetchNext = async (state: BreakerState) => {
		// Probe with the one furthest away, because neighbours may be slow for the same reason.
		const job = state === 'halfOpen' ? jobs.shift() : jobs.pop();
		if (!job) return undefined;
		const result = await fetchJob(job[0], state);
		if (stop.signal.aborted) return undefined;
		const { failure } = result;
		if (STOPPING_KINDS.includes(failure?.kind)) stopFailure = failure;
		// Each request but the last gets a copy, because `deliver` may change what it gets.
		for (const request of job.slice(0, -1)) deliver(request, copyResult(result));
		deliver(job.at(-1) ?? job[0], result);
		return failure;
	};
	const fetchJob = async (
		document: ServiceDocument<T>,
		state: BreakerState,
	): Promise<Result<CheckedAnswer<T>, Failure>> => {
		if (stopFailure) return { failure: stopFailure };
		if (state === 'silent') return { failure: serviceDown() };
		const maxTries = state === 'open' ? 1 : undefined;
		return await fetchDocument(client, document, { ...limits, maxTries });
	};
	const work = async () => {
		while (jobs.length > 0 && !stop.signal.aborted) await breaker.call(fetchNext);
	};
	try {
		await Promise.all(Array.from({ length: Math.min(WORKERS, jobs.length) }, work));
	} finally {
		stop.abort();
	}
	const { waitedMs, wasSlowedByRefusals } = queue;
	return { waitedMs, tookMs: systemClock.now() - beganAt, wasSlowedByRefusals };
}

/** Groups the requests by document, in the order of the first request for each. */
function groupByDocument<Request extends ServiceDocument<unknown>>(
	requests: readonly Request[],
): Array<[Request, ...Request[]]> {
	const jobs = new Map<string, [Request, ...Request[]]>();
	for (const request of requests) {
		const job = jobs.get(request.path);
		if (job) job.push(request);
		else jobs.set(request.path, [request]);
	}
	return [...jobs.values()];
}

function copyResult<T>(result: Result<CheckedAnswer<T>, Failure>): typeof result {
	if (result.failure) return result;
	const { headers, json } = result.value;
	return { value: { ...result.value, headers: { ...headers }, json: structuredClone(json) } };
}
