import { serviceDown } from '../service/requestFailures';
import type { Failure, Result } from '../messages/failure';
import { CircuitBreaker } from './circuitBreaker';
import type { Client } from '../sending/client';
import type { ServiceDocument, CheckedAnswer } from '../service/answer';
import { fetchDocument } from './fetchDocument';
import type { Queue, WaitReason } from '../limit/queue';
import { SECOND_MS, systemClock } from '../utils/time';

/*
 * How are many documents fetched, and what makes one wait?
 *
 * | Why a document waits                                 | At most                                          | Decided in           |
 * | ---------------------------------------------------- | ------------------------------------------------ | -------------------- |
 * | it needs a slot: slow start                          | until earlier requests are answered              | limit/rateLimiter.ts |
 * | the same: request limit, cooldown after a 429        | 'Maximum Wait', or the end of the poll           | limit/rateLimiter.ts |
 * | it needs a login: there is no token                  | a minute, and one for the slot of each later try | sending/logIn.ts     |
 * | the same, ten seconds after a login because of a 401 | ten seconds, then for that login                 | login/tokenSource.ts |
 * | it is sent again: a try has failed                   | 45 seconds, in a poll 20, tries included         | fetchDocument.ts     |
 * | the service asks it to (`Retry-After`)               | a minute in all, or the end of the poll          | fetchDocument.ts     |
 * | another one probes: five in a row have failed        | the time of five documents                       | circuitBreaker.ts    |
 */

/**
 * More than the rate limiter allows in flight at 100 requests a minute, so that some always wait. At 10,000, they are enough if
 * an answer takes up to 120 ms.
 */
const WORKERS = 20;

const ALL_TRIES_MS = 45 * SECOND_MS;

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
	slowedBy: WaitReason | 'service';
}

/**
 * Fetches documents of the service, each once for all requests that need it.
 *
 * @param deliver called once for each request, when its result arrives: also, with a failure that stops all, for those that were not
 *   sent or were cancelled. If it throws, requests in flight are cancelled, and nothing more is sent.
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

/** The requests that need the same document. */
type Group<Request> = [Request, ...Request[]];

/**
 * Several workers, each of which takes one document after the other. {@link fetchDocument} sends it, with all its tries;
 * {@link CircuitBreaker} chooses the document. After a failure that concerns all of them, such as a refused login, that is the result
 * of those that are left.
 */
class Fetching<T, Request extends ServiceDocument<T>> {
	private readonly client: Client & { signal: AbortSignal };
	private readonly limits: FetchLimits & { allTriesMs: number };
	/** In reverse, because taking the last element costs the least. */
	private readonly unsent: Array<Group<Request>>;
	private readonly breaker = new CircuitBreaker();
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
		const signals = [this.abort.signal, client.signal].filter((signal) => signal !== undefined);
		this.client = { ...client, signal: AbortSignal.any(signals) };
		// A longer 'Timeout' leaves time for one try.
		const allTriesMs = Math.max(limits.allTriesMs ?? ALL_TRIES_MS, limits.timeoutMs);
		this.limits = { ...limits, allTriesMs };
		this.unsent = groupByDocument(requests).reverse();
	}

	/** @throws what `deliver` throws. */
	async run(): Promise<void> {
		const { unsent, client, limits } = this;
		client.queue.announce(unsent.length, limits.maxWaitMs);
		const workers = Math.min(WORKERS, unsent.length);
		try {
			await Promise.all(Array.from({ length: workers }, async () => await this.work()));
			const { stopFailure: failure } = this;
			if (failure) for (const group of unsent.reverse()) this.finish(group, { failure });
		} finally {
			this.abort.abort();
		}
	}

	private async work(): Promise<void> {
		while (this.unsent.length > 0 && !this.isStopped) {
			await this.breaker.call(async (probeAt) => await this.fetchOne(probeAt));
		}
	}

	private get isStopped(): boolean {
		return this.stopFailure !== undefined || this.abort.signal.aborted;
	}

	/**
	 * Fetches a document, if any is left.
	 *
	 * @param probeAt see {@link CircuitBreaker.call}.
	 */
	private async fetchOne(probeAt: number | undefined): Promise<void> {
		const { client, breaker, unsent } = this;
		const index = Math.round((1 - (probeAt ?? 0)) * (unsent.length - 1));
		const [group] = this.isStopped ? [] : unsent.splice(index, 1);
		if (!group) return;
		const result = await fetchDocument(client, group[0], this.limits);
		if (this.abort.signal.aborted) return;
		const { failure } = result;
		breaker.record(failure, probeAt !== undefined);
		if (failure?.stopsAll) this.stopFailure = failure;
		if (breaker.state === 'givenUp') this.stopFailure ??= serviceDown();
		this.finish(group, result);
	}

	private finish(group: Group<Request>, result: DocumentResult<T>): void {
		// Each request but the last gets a copy, because `deliver` may change what it gets.
		for (const request of group.slice(0, -1)) this.deliver(request, copyResult(result));
		this.deliver(group.at(-1) ?? group[0], result);
	}
}

/** Groups the requests by document, in the order of the first request for each. */
function groupByDocument<Request extends ServiceDocument<unknown>>(
	requests: readonly Request[],
): Array<Group<Request>> {
	const groups = new Map<string, Group<Request>>();
	for (const request of requests) {
		const group = groups.get(request.path);
		if (group) group.push(request);
		else groups.set(request.path, [request]);
	}
	return [...groups.values()];
}

function createStatistics({ waited, waitedMs }: Queue, tookMs: number): Statistics {
	const { rate, refusals } = waited;
	const isServiceSlow = tookMs - waitedMs > Math.max(rate, refusals);
	const slowedBy = isServiceSlow ? 'service' : refusals > rate ? 'refusals' : 'rate';
	return { tookMs, waitedMs, slowedBy };
}

function copyResult<T>(result: DocumentResult<T>): DocumentResult<T> {
	if (result.failure) return result;
	return { value: { ...result.value, json: structuredClone(result.value.json) } };
}
