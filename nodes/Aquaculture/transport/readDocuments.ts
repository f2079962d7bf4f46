import { limitOf, waitOf } from '../../../shared/budget/closed';
import { MESSAGES } from '../../../shared/messages';
import { nextPause } from '../../../shared/retry';
import { CANCELLED, lastFailure, type Failure } from './failure';
import {
	requestDocument,
	type Answer,
	type Attempt,
	type DocumentRequest,
	type Outcome,
} from './request';
import type { Transport } from './transport';

/** How documents are read. */
export interface ReadingLimits {
	/** How many requests may be under way at once. */
	concurrentRequests: number;
	/** Time for the whole answer to one try, in milliseconds. */
	timeoutMs: number;
	/** How often a request is sent at the most; refusals and exchanges of the token do not count. */
	maxTries: number;
	/**
	 * Time for all tries of a document and the pauses between them, in milliseconds; waiting for its turn does not count, and
	 * a first try has its timeout at least.
	 */
	maxTimeMs: number;
	/** How long all requests together may wait for the account's budget, in milliseconds. */
	maxWaitMs: number;
	/** Until when a request may wait for it, as `performance.now()` tells it. */
	waitEndsAt?: number;
}

/** What happened on the way to the outcomes. */
export interface Statistics {
	/** How many requests were sent once more because they had failed. */
	repeatedRequests: number;
	/** How many requests the service has refused because there were too many. */
	refusedRequests: number;
	/** How long the budget has kept requests waiting, in milliseconds. */
	waitedMs: number;
	/** How long it all took, in milliseconds. */
	tookMs: number;
}

/** What is alike for all requests of an execution. */
interface Reading {
	transport: Transport;
	limits: ReadingLimits;
	statistics: Pick<Statistics, 'repeatedRequests' | 'refusedRequests'>;
	/** Whether a request has waited for its turn for as long as it may. */
	isTooLate: boolean;
}

/** A document that is fetched once, and all requests that ask for it. */
type Job<Request> = [Request, ...Request[]];

const MINUTE_MS = 60_000;

/**
 * Reads documents of the service, as many at once as the limits allow. Requests for the same one in the same version are
 * sent once, and each gets an answer of its own.
 *
 * A failure that concerns the whole account is the outcome of all requests that follow it, without sending them. Nothing
 * is sent where the account's budget alone makes it take longer than the limits allow.
 *
 * @param deliver is called once for each request, in the order in which the outcomes arrive. What it throws ends the
 *   reading: nothing more is sent, what is under way is ended, and the exception is handed on.
 */
export async function readDocuments<T, Details>(
	transport: Transport,
	requests: ReadonlyArray<DocumentRequest<T> & Details>,
	limits: ReadingLimits,
	deliver: (request: DocumentRequest<T> & Details, outcome: Outcome<Answer<T>>) => void,
): Promise<Statistics> {
	const { budget, cancellation, lane } = transport;
	const statistics = { repeatedRequests: 0, refusedRequests: 0 };
	const reading: Reading = { transport, limits, statistics, isTooLate: false };
	const beganAt = performance.now();
	const jobs = jobsOf(requests);
	// One iterator for all workers, so that each job is taken by one of them.
	const queue = jobs.values();
	let hopeless = lane.isPoll ? undefined : planFailure(jobs, transport, limits);
	let isOver = false;

	const work = async () => {
		for (const [first, ...others] of queue) {
			const outcome: Outcome<Answer<T>> = hopeless
				? { failure: hopeless }
				: await readPatiently(reading, first);
			if (isOver) return;
			if (outcome.failure?.accountWide) hopeless = outcome.failure;
			deliver(first, outcome);
			for (const other of others) deliver(other, copyOf(outcome));
		}
	};

	const workers = Math.min(limits.concurrentRequests, jobs.length);
	try {
		await Promise.all(Array.from({ length: workers }, work));
	} finally {
		isOver = true;
		cancellation.cancel();
	}
	const waitedMs = budget.waitedMs(lane);
	return { ...statistics, waitedMs, tookMs: performance.now() - beganAt };
}

/** Why it is of no use to begin: the budget lets a first load go at once, and another one each minute. */
function planFailure(
	jobs: ReadonlyArray<Job<DocumentRequest<unknown>>>,
	{ connection: { requestsPerMinute } }: Transport,
	{ maxWaitMs }: ReadingLimits,
): Failure | undefined {
	const [job] = jobs;
	const planMs = (Math.ceil(jobs.length / requestsPerMinute) - 1) * MINUTE_MS;
	if (!job || planMs <= maxWaitMs) return undefined;
	const [{ kind }] = job;
	const text = MESSAGES.limits.planTooLong(jobs.length, kind, requestsPerMinute, planMs);
	return { ...text, accountWide: true };
}

/** What is to be fetched, in the order in which it is first asked for. */
function jobsOf<Request extends DocumentRequest<unknown>>(
	requests: readonly Request[],
): Array<Job<Request>> {
	const jobs = new Map<string, Job<Request>>();
	for (const request of requests) {
		const { path, dataVersion = '' } = request;
		const key = `${dataVersion} ${path}`;
		const job = jobs.get(key);
		if (job) job.push(request);
		else jobs.set(key, [request]);
	}
	return [...jobs.values()];
}

function copyOf<T>(outcome: Outcome<Answer<T>>): Outcome<Answer<T>> {
	if (outcome.failure) return outcome;
	const { statusCode, headers, json } = outcome.answer;
	return { answer: { statusCode, headers: { ...headers }, json: structuredClone(json) } };
}

/** A repeated request that has less time than this, or than its timeout, would hardly be answered. */
const SHORTEST_TRY_MS = 1000;

/** Sends a request until it has succeeded, has failed for good, or has used up its tries or its time. */
async function readPatiently<T>(
	reading: Reading,
	request: DocumentRequest<T>,
): Promise<Outcome<Answer<T>>> {
	const { transport, limits, statistics } = reading;
	const { maxTries, timeoutMs } = limits;
	const { subject } = request;
	const totalMs = Math.max(limits.maxTimeMs, timeoutMs);
	let leftMs = totalMs;
	let telling: Failure | undefined;

	for (let tries = 1; ; tries++) {
		if (tries > 1) statistics.repeatedRequests += 1;
		const tryMs = Math.min(timeoutMs, leftMs);
		const { outcome, tookMs, isTooLate } = await tryOnce(reading, request, tryMs);
		if (outcome.answer) return outcome;
		if (transport.cancellation.isCancelled) return { failure: CANCELLED };
		if (isTooLate) return { failure: telling ?? noTurn(reading, subject) };

		const { failure } = outcome;
		if (!failure.passing) return outcome;

		leftMs -= tookMs;
		const isCutShort = failure.timedOut && tryMs < timeoutMs;
		const last = isCutShort
			? { ...failure, ...MESSAGES.limits.triesTookTooLong(subject, totalMs) }
			: failure;
		telling = moreTelling(telling, last);
		const { waitMs } = failure;
		const now = performance.now();
		const spareMs = leftMs - Math.min(SHORTEST_TRY_MS, timeoutMs);
		const patience = { maxTries, endsAt: now + spareMs };
		const pause = nextPause(tries, waitMs, patience, { now, random: Math.random() });
		if (pause === undefined) {
			return {
				failure: lastFailure(telling, { tries, waitMs: waitMs ?? 0, leftMs: spareMs }),
			};
		}
		await transport.cancellation.pause(pause);
		leftMs -= pause;
	}
}

/** How often a request is sent with another token in one try: accounts are known whose tokens end each other. */
const MAX_TOKENS = 4;

/** Sends a request until the service says something about the document: not that it has refused it, nor its token. */
async function tryOnce<T>(
	reading: Reading,
	request: DocumentRequest<T>,
	tryMs: number,
): Promise<Attempt<Answer<T>>> {
	const { transport, limits, statistics } = reading;
	const { cancellation } = transport;
	const patienceMs = () => (reading.isTooLate ? 0 : patienceOf(transport, limits));
	for (let tokens = 1; ; ) {
		const attempt = await requestDocument(transport, request, tryMs, patienceMs);
		if (attempt.isTooLate) reading.isTooLate = true;
		if (cancellation.isCancelled || attempt.outcome.answer) return attempt;
		if (attempt.isRefused) statistics.refusedRequests += 1;
		else if (attempt.needsToken && tokens < MAX_TOKENS) tokens += 1;
		else return attempt;
	}
}

/** How long a request may wait for the account's budget, in milliseconds. */
function patienceOf(
	{ budget, lane }: Transport,
	{ maxWaitMs, waitEndsAt = Infinity }: ReadingLimits,
): number {
	return Math.min(maxWaitMs - budget.waitedMs(lane), waitEndsAt - performance.now());
}

function noTurn({ transport: { budget, lane } }: Reading, subject: string): Failure {
	const text = MESSAGES.limits.waitTooLong(subject, limitOf(budget), waitOf(budget, lane));
	return { ...text, hadNoTurn: true };
}

/** What the service has answered says more than that a later try got no answer. */
function moreTelling(before: Failure | undefined, last: Failure): Failure {
	return last.statusCode === undefined && before?.statusCode !== undefined ? before : last;
}
