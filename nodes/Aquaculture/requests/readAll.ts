import { MESSAGES } from '../messages/messages';
import { SECOND_MS } from '../messages/duration';
import { storedToken } from '../account/storedToken';
import type { Failure, Outcome } from '../service/failures';
import type { Client } from './client';
import type { Answer } from '../service/response';
import { readDocument, type DocumentRequest, type TryLimits } from './request';

/** How many requests wait or are under way at once; the account's limit lets fewer go. */
const WORKERS = 20;

/** By how much the waiting may take longer than planned: a run that comes later takes turns, and answers may be slow. */
const LEEWAY = 2;
const LEAST_LEEWAY_MS = 10 * SECOND_MS;

/** How documents are read. */
export interface ReadingLimits extends TryLimits {
	/** How long all requests together may wait for the account, in milliseconds; undefined if their client says until when. */
	maxWaitMs?: number;
}

/** What happened on the way to the outcomes. */
export interface Statistics {
	/** How long the account has let the requests wait, in milliseconds. */
	waitedMs: number;
	/** How long it all took, in milliseconds. */
	tookMs: number;
}

/**
 * Reads documents of the service. Requests for the same one in the same version are sent once, and each gets an answer of
 * its own. A failure that concerns the whole account is the outcome of all requests that follow it, which are not sent.
 * Nothing is sent if waiting for the account's limit alone would take longer than it may.
 *
 * @param deliver is called once for each request, in the order in which the outcomes arrive. What it throws ends the
 *   reading: nothing more is sent, requests under way are ended, and the exception is thrown.
 */
export async function readAll<T, Details>(
	{ signal: cancelled, ...rest }: Client,
	requests: ReadonlyArray<DocumentRequest<T> & Details>,
	{ maxWaitMs, ...limits }: ReadingLimits,
	deliver: (request: DocumentRequest<T> & Details, outcome: Outcome<Answer<T>>) => void,
): Promise<Statistics> {
	const stop = new AbortController();
	const signal = cancelled ? AbortSignal.any([cancelled, stop.signal]) : stop.signal;
	const client: Client = { ...rest, signal };
	const { queue, account } = client;
	const beganAt = account.clock.now();
	const jobs = jobsOf(requests);
	let sharedFailure: Failure | undefined;
	if (maxWaitMs !== undefined) {
		const planMs = plannedMs(client, jobs.length);
		sharedFailure = planFailure(client, jobs.length, planMs, maxWaitMs);
		queue.maxWaitMs = queue.waitedMs + Math.max(maxWaitMs, LEEWAY * planMs) + LEAST_LEEWAY_MS;
	}
	queue.planned = jobs.length;

	// One iterator for all workers, so that each job is taken by one of them.
	const waiting = jobs.values();
	const work = async () => {
		for (const [first, ...others] of waiting) {
			const outcome: Outcome<Answer<T>> = sharedFailure
				? { failure: sharedFailure }
				: await readDocument(client, first, limits);
			if (stop.signal.aborted) return;
			if (outcome.failure?.accountWide) sharedFailure = outcome.failure;
			deliver(first, outcome);
			for (const other of others) deliver(other, copyOf(outcome, other.subject));
		}
	};
	try {
		await Promise.all(Array.from({ length: Math.min(WORKERS, jobs.length) }, work));
	} finally {
		stop.abort();
	}
	return { waitedMs: queue.waitedMs, tookMs: account.clock.now() - beganAt };
}

/** How long it will take, in milliseconds, beyond the time for answers. */
function plannedMs({ account, credential, queue }: Client, documents: number): number {
	const hasToken = account.tokens.choose(storedToken(account, credential)) !== undefined;
	return account.limit.plannedMs(queue, documents + (hasToken ? 0 : 1));
}

/** Why it is pointless to start. */
function planFailure(
	{ account: { limit }, queue }: Client,
	documents: number,
	planMs: number,
	maxWaitMs: number,
): Failure | undefined {
	if (documents === 0 || planMs <= maxWaitMs) return undefined;
	const times = { planMs, maxWaitMs, delayMs: limit.delayMs(queue, documents + 1) };
	const text = MESSAGES.limits.planTooLong(documents, limit.textFor(queue), times);
	return { ...text, accountWide: true };
}

/** What is to be fetched, in the order in which it is first asked for, with all requests that ask for it. */
function jobsOf<Request extends DocumentRequest<unknown>>(
	requests: readonly Request[],
): Array<[Request, ...Request[]]> {
	const jobs = new Map<string, [Request, ...Request[]]>();
	for (const request of requests) {
		const key = `${request.dataVersion ?? ''} ${request.path}`;
		const job = jobs.get(key);
		if (job) job.push(request);
		else jobs.set(key, [request]);
	}
	return [...jobs.values()];
}

function copyOf<T>(outcome: Outcome<Answer<T>>, subject: string): Outcome<Answer<T>> {
	if (outcome.failure) return outcome;
	const { statusCode, headers, json } = outcome.value;
	try {
		return { value: { statusCode, headers: { ...headers }, json: structuredClone(json) } };
	} catch (error) {
		// It is nested too deep. It fails alone: the results of the other documents would be lost otherwise.
		return { failure: MESSAGES.answer.unprocessed(subject, (error as Error).message) };
	}
}
