import { nextPause } from '../../../shared/retry';
import {
	CANCELLED,
	describeGivingUp,
	describeHeld,
	describeOutOfTime,
	type Failure,
} from './failure';
import { requestDocument, type Answer, type DocumentRequest, type Outcome } from './request';
import { Traffic, type TrafficLimits } from './traffic';
import type { Transport } from './transport';

/** How documents are read. */
export interface ReadingLimits extends TrafficLimits {
	/** Time for the whole answer to one try, in milliseconds. */
	timeoutMs: number;
	/** How often a request is sent at the most. */
	maxTries: number;
	/**
	 * Time for all tries of a document and the pauses between them, in milliseconds; waiting for its turn does not count, and
	 * a first try has its timeout at least.
	 */
	maxTimeMs: number;
}

/** What happened on the way to the outcomes. */
export interface Statistics {
	/** How many requests were sent once more because they had failed. */
	repeatedRequests: number;
	/** How long the service has kept all requests waiting, in milliseconds. */
	heldMs: number;
}

/** What is alike for all requests of an execution. */
interface Reading {
	transport: Transport;
	limits: ReadingLimits;
	traffic: Traffic;
	statistics: Statistics;
}

/** A document that is fetched once, and all requests that ask for it. */
type Job<Request> = [Request, ...Request[]];

/**
 * Reads documents of the service, as many at once as the limits allow. Requests for the same one in the same version are
 * sent once, and each gets an answer of its own.
 *
 * A failure that concerns the whole account is the outcome of all requests that follow it, without sending them.
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
	const traffic = new Traffic(limits, transport.cancellation);
	const statistics = { repeatedRequests: 0, heldMs: 0 };
	const reading = { transport, limits, traffic, statistics };
	const jobs = jobsOf(requests);
	// One iterator for all workers, so that each job is taken by one of them.
	const queue = jobs.values();
	let hopeless: Failure | undefined;
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
		transport.cancellation.cancel();
	}
	return { ...statistics, heldMs: traffic.heldMs() };
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
	const { transport, limits, traffic, statistics } = reading;
	const { maxTries, timeoutMs } = limits;
	const { subject } = request;
	const totalMs = Math.max(limits.maxTimeMs, timeoutMs);
	let leftMs = totalMs;
	let telling: Failure | undefined;

	for (let tries = 1; ; tries++) {
		let sentAt = 0;
		const tryMs = Math.min(timeoutMs, leftMs);
		const outcome = await traffic.pass(leftMs, async () => {
			sentAt = performance.now();
			if (tries > 1) statistics.repeatedRequests += 1;
			return await requestDocument(transport, request, tryMs);
		});
		if (outcome?.answer) {
			traffic.speedUp();
			return outcome;
		}
		if (transport.cancellation.isCancelled) return { failure: CANCELLED };
		if (!outcome) {
			const waitMs = traffic.holdLeftMs();
			if (!telling) return { failure: describeHeld(subject, waitMs, leftMs) };
			return { failure: describeGivingUp(telling, { tries: tries - 1, waitMs, leftMs }) };
		}
		const { failure } = outcome;
		if (!failure.passing) return outcome;

		const now = performance.now();
		leftMs -= now - sentAt;
		const isCutShort = failure.timedOut && tryMs < timeoutMs;
		const last = isCutShort ? { ...failure, ...describeOutOfTime(subject, totalMs) } : failure;
		telling = moreTelling(telling, last);
		const { statusCode, waitMs } = failure;
		const spareMs = leftMs - Math.min(SHORTEST_TRY_MS, timeoutMs);
		const patience = { maxTries, endsAt: now + spareMs };
		const pause = nextPause(tries, waitMs, patience, { now, random: Math.random() });
		if (statusCode === 429) {
			traffic.slowDown(sentAt);
			traffic.holdFor(waitMs ?? pause ?? 0);
		} else if (waitMs !== undefined) {
			traffic.holdFor(waitMs);
		}
		if (pause === undefined) {
			return {
				failure: describeGivingUp(telling, { tries, waitMs: waitMs ?? 0, leftMs: spareMs }),
			};
		}
		await transport.cancellation.pause(pause);
		leftMs -= pause;
	}
}

/** What the service has answered says more than that a later try got no answer. */
function moreTelling(before: Failure | undefined, last: Failure): Failure {
	return last.statusCode === undefined && before?.statusCode !== undefined ? before : last;
}
