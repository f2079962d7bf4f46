import { nextPause, parseRetryAfter } from '../../../api/retry';
import type { Site } from '../../../api/site';
import { CANCELLED, describeGivingUp, describeHeld, type Failure } from './failure';
import type { Answer, Outcome, Transport } from './request';
import { readSite, siteSubject, type SiteRequest } from './sites';
import { Traffic, type TrafficLimits } from './traffic';

/** How sites are read. */
export interface ReadingLimits extends TrafficLimits {
	/** Time for the whole answer to one try, in milliseconds. */
	timeoutMs: number;
	/** How often a request is sent at the most. */
	maxTries: number;
	/** Time for all tries of a site and the waiting between them, in milliseconds; a first try has its timeout at least. */
	maxTimeMs: number;
}

/** What happened on the way to the outcomes. */
export interface Statistics {
	/** How many requests were sent once more because they had failed. */
	repeatedRequests: number;
	/** How long the service has kept all requests waiting, in milliseconds. */
	heldMs: number;
}

export type SiteOutcome = Outcome<Answer<Site>>;

/** What is alike for all requests of an execution. */
interface Reading {
	transport: Transport;
	limits: ReadingLimits;
	traffic: Traffic;
	statistics: Statistics;
}

/** A site to be fetched once, and all requests that ask for it, by their index. */
interface Job {
	request: SiteRequest;
	indexes: number[];
}

/**
 * Reads sites, as many at once as the limits allow. Requests for the same site with the same includes and version are
 * sent once, and each gets an answer of its own.
 *
 * A failure that concerns the whole account is the outcome of all requests that follow it, without sending them.
 *
 * @param deliver is called once for each request, with its index, in the order in which the outcomes arrive. What it
 *   throws ends the reading: nothing more is sent, what is under way is ended, and the exception is handed on.
 */
export async function readSites(
	transport: Transport,
	requests: readonly SiteRequest[],
	limits: ReadingLimits,
	deliver: (index: number, outcome: SiteOutcome) => void,
): Promise<Statistics> {
	const traffic = new Traffic(limits, transport.cancellation);
	const statistics = { repeatedRequests: 0, heldMs: 0 };
	const reading = { transport, limits, traffic, statistics };
	const jobs = jobsOf(requests);
	const queue = jobs.values();
	let hopeless: Failure | undefined;
	let isOver = false;

	const work = async () => {
		for (const { request, indexes } of queue) {
			const outcome: SiteOutcome = hopeless
				? { failure: hopeless }
				: await readPatiently(reading, request);
			if (isOver) return;
			if (outcome.failure?.accountWide) hopeless = outcome.failure;
			handOver(outcome, indexes, deliver);
		}
	};
	const end = () => {
		isOver = true;
		transport.cancellation.cancel();
	};
	const workOrEnd = async () => {
		let isThrough = false;
		try {
			await work();
			isThrough = true;
		} finally {
			if (!isThrough) end();
		}
	};

	const workers = Math.min(limits.concurrentRequests, jobs.length);
	await Promise.all(Array.from({ length: workers }, workOrEnd));
	end();
	return { ...statistics, heldMs: traffic.heldMs() };
}

/** What is to be fetched, in the order in which it is first asked for. */
function jobsOf(requests: readonly SiteRequest[]): Job[] {
	const jobs = new Map<string, Job>();
	for (const [index, request] of requests.entries()) {
		const { siteId, includes, dataVersion = '' } = request;
		const key = [siteId, dataVersion, ...includes].join();
		const job = jobs.get(key);
		if (job) job.indexes.push(index);
		else jobs.set(key, { request, indexes: [index] });
	}
	return [...jobs.values()];
}

function handOver(
	outcome: SiteOutcome,
	indexes: readonly number[],
	deliver: (index: number, outcome: SiteOutcome) => void,
): void {
	for (const [position, index] of indexes.entries()) {
		const isFirst = position === 0;
		deliver(index, outcome.failure || isFirst ? outcome : { answer: copyOf(outcome.answer) });
	}
}

function copyOf({ statusCode, headers, json }: Answer<Site>): Answer<Site> {
	return { statusCode, headers: { ...headers }, json: structuredClone(json) };
}

/** Sends a request until it has succeeded, has failed for good, or has used up its tries or its time. */
async function readPatiently(reading: Reading, request: SiteRequest): Promise<SiteOutcome> {
	const { transport, limits, traffic, statistics } = reading;
	const { maxTries, timeoutMs } = limits;
	const maxTimeMs = Math.max(limits.maxTimeMs, timeoutMs);
	/** Set by the first try, so that waiting for it does not count. */
	let endsAt: number | undefined;
	let failure: Failure | undefined;

	for (let tries = 1; ; tries++) {
		const latest = () => endsAt ?? Date.now() + maxTimeMs;
		let sentAt = 0;
		const outcome = await traffic.pass(latest, async (): Promise<SiteOutcome> => {
			sentAt = Date.now();
			endsAt ??= sentAt + maxTimeMs;
			if (transport.cancellation.isCancelled) return { failure: CANCELLED };
			if (tries > 1) statistics.repeatedRequests += 1;
			return await readSite(transport, request, Math.min(timeoutMs, endsAt - sentAt));
		});
		const now = Date.now();
		const leftMs = latest() - now;
		if (!outcome) {
			const waitMs = traffic.holdLeftMs();
			if (failure)
				return { failure: describeGivingUp(failure, { tries: tries - 1, waitMs, leftMs }) };
			return { failure: describeHeld(siteSubject(request.siteId), waitMs, leftMs) };
		}
		failure = moreTelling(failure, outcome.failure, leftMs);
		if (!failure) traffic.speedUp();
		if (!failure?.passing) return outcome;

		const { statusCode, retryAfter } = failure;
		const waitMs = parseRetryAfter(retryAfter, now);
		const patience = { maxTries, endsAt: latest() };
		const pause = nextPause(tries, retryAfter, patience, { now, random: Math.random() });
		const isTooMany = statusCode === 429;
		if (isTooMany) traffic.slowDown(sentAt);
		if (isTooMany || waitMs !== undefined) traffic.holdFor(Math.max(waitMs ?? 0, pause ?? 0));
		if (pause === undefined) {
			return { failure: describeGivingUp(failure, { tries, waitMs: waitMs ?? 0, leftMs }) };
		}
		await transport.cancellation.pause(pause);
	}
}

/** The failure of a request's last try, or of the one before where the last one was cut short by the end of the time. */
function moreTelling(
	before: Failure | undefined,
	last: Failure | undefined,
	leftMs: number,
): Failure | undefined {
	/** By how much timers and the clock may differ. */
	const TOLERANCE_MS = 10;
	const isCutShort = leftMs < TOLERANCE_MS && last?.passing && last.statusCode === undefined;
	return isCutShort && before ? before : last;
}
