import { storedToken } from '../../../account/storedToken';
import type { Budget } from '../../../account/limit/budget';
import { delayMs, limitOf, plannedMs } from '../../../account/limit/plan';
import { Queue, type Obstacle } from '../../../account/limit/queue';
import { SECOND_MS } from '../../../texts/duration';
import { MESSAGES } from '../../../texts/messages';
import type { Answer } from './answer';
import type { Failure } from './failure';
import type { Outcome } from './outcome';
import { RetryingReader, type RequestLimits } from './retryingReader';
import type { DocumentRequest } from './request';
import type { Transport } from './transport';

/** What happened on the way to the outcomes. */
export interface Statistics {
	/** How many requests were sent once more because they had failed. */
	repeatedRequests: number;
	/** How many requests the service has refused because there were too many. */
	refusedRequests: number;
	/** How long the budget has kept requests waiting, in milliseconds. */
	waitedMs: number;
	/** Why it has waited; empty if only for an answer. */
	obstacles: ReadonlySet<Obstacle>;
	/** How long it all took, in milliseconds. */
	tookMs: number;
}

/** A document that is fetched once, and all requests that ask for it. */
type Job<Request> = [Request, ...Request[]];

/** By how much the waiting may take longer than planned: a run that comes later takes turns, and answers may be slow. */
const LEEWAY = 2;
const LEAST_LEEWAY_MS = 10 * SECOND_MS;

/** What takes longer is announced. */
const LONG_MS = 30 * SECOND_MS;

/**
 * Reads documents of the service, as many at once as the limits allow. Requests for the same one in the same version are
 * sent once, and each gets an answer of its own.
 *
 * A failure that concerns the whole account is the outcome of all requests that follow it, which are not sent. Nothing
 * is sent if waiting for the account's budget alone would take longer than the limits allow.
 *
 * At the end it ends the transport, which therefore serves one call.
 *
 * @param deliver is called once for each request, in the order in which the outcomes arrive. What it throws ends the
 *   reading: nothing more is sent, requests under way are ended, and the exception is thrown.
 */
export async function readDocuments<T, Details>(
	transport: Transport,
	requests: ReadonlyArray<DocumentRequest<T> & Details>,
	limits: RequestLimits,
	deliver: (request: DocumentRequest<T> & Details, outcome: Outcome<Answer<T>>) => void,
): Promise<Statistics> {
	const { account, cancellation, queueKind } = transport;
	const { budget } = account;
	const beganAt = performance.now();
	const jobs = jobsOf(requests);
	const hasToken = account.tokens.choose(storedToken(account, transport.credential)) !== undefined;
	const needed = jobs.length + (hasToken ? 0 : 1);
	const planMs = queueKind === 'execution' ? plannedMs(budget, needed) : 0;
	const queue = new Queue({
		kind: queueKind,
		planned: jobs.length,
		maxWaitMs: Math.max(limits.maxWaitMs, LEEWAY * planMs) + LEAST_LEEWAY_MS,
		...(limits.waitEndsAt !== undefined && { endsAt: limits.waitEndsAt }),
	});
	const reader = new RetryingReader(transport, queue, limits);
	// One iterator for all workers, so that each job is taken by one of them.
	const waitingJobs = jobs.values();
	let sharedFailure = planFailure(jobs, budget, { needed, planMs }, limits);
	if (!sharedFailure) announceLongRun(transport, jobs, planMs);
	let isEnded = false;

	const work = async () => {
		for (const [first, ...others] of waitingJobs) {
			if (cancellation.isEnding) return;
			const outcome: Outcome<Answer<T>> = sharedFailure
				? { failure: sharedFailure }
				: await reader.read(first);
			if (isEnded) return;
			if (outcome.failure?.accountWide) sharedFailure = outcome.failure;
			deliver(first, outcome);
			for (const other of others) deliver(other, copyOf(outcome));
		}
	};

	const workers = Math.min(limits.concurrentRequests, jobs.length);
	try {
		await Promise.all(Array.from({ length: workers }, work));
	} finally {
		isEnded = true;
		cancellation.cancel();
	}
	const { repeatedRequests, refusedRequests } = reader;
	const tookMs = performance.now() - beganAt;
	const waitedMs = budget.waitedMs(queue);
	const { obstacles } = queue;
	return { repeatedRequests, refusedRequests, waitedMs, obstacles, tookMs };
}

/** Why it is pointless to start. */
function planFailure(
	jobs: ReadonlyArray<Job<DocumentRequest<unknown>>>,
	budget: Budget,
	{ needed, planMs }: Record<'needed' | 'planMs', number>,
	{ maxWaitMs }: RequestLimits,
): Failure | undefined {
	const [job] = jobs;
	if (!job || planMs <= maxWaitMs) return undefined;
	const [{ kind }] = job;
	const text = MESSAGES.limits.planTooLong(jobs.length, kind, limitOf(budget), {
		planMs,
		maxWaitMs,
		...(needed <= budget.requestsPerMinute && { delayMs: delayMs(budget, needed) }),
	});
	return { ...text, accountWide: true };
}

function announceLongRun(
	transport: Transport,
	jobs: ReadonlyArray<Job<DocumentRequest<unknown>>>,
	planMs: number,
): void {
	const [job] = jobs;
	if (!job || planMs <= LONG_MS) return;
	const [{ kind }] = job;
	transport.reportProgress?.(MESSAGES.log.longRun(jobs.length, kind, planMs));
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
	const { statusCode, headers, json } = outcome.value;
	return { value: { statusCode, headers: { ...headers }, json: structuredClone(json) } };
}
