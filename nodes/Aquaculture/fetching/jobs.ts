import type { Failure } from '../messages/failure';
import type { ServiceDocument } from '../service/answer';
import { MINUTE_MS, systemClock } from '../utils/time';

/* Which document is fetched next, and which ones must wait because the service asks for it? */

/** What all that request the same document wait for. */
export interface Job<Request> {
	requests: [Request, ...Request[]];
	/** Why it failed before it was postponed. */
	failure?: Failure;
	timesPostponed: number;
}

interface PostponedJob<Request> extends Job<Request> {
	failure: Failure;
	/** By the system clock. */
	notBefore: number;
}

/**
 * The documents to fetch, each once for all requests that need it. One that fails with all its tries, while the service asks to
 * send it later, is postponed:
 *
 * | When                                   | What becomes of it                                           |
 * | -------------------------------------- | ------------------------------------------------------------ |
 * | another document is answered           | is sent if its wait is over, and fails if that takes minutes |
 * | all others fail, and none is left      | is sent when its wait is over: nothing is sent before        |
 * | all others are done                    | fails, so that it holds up nobody                            |
 */
export class Jobs<Request extends ServiceDocument<unknown>> {
	/** In reverse, because taking the last element costs the least. */
	private readonly remaining: Array<Job<Request>>;
	private postponed: Array<PostponedJob<Request>> = [];

	constructor(requests: readonly Request[]) {
		this.remaining = groupByDocument(requests).reverse();
	}

	/** How many come before those that are postponed. */
	get count(): number {
		return this.remaining.length;
	}

	take(from: 'start' | 'end'): Job<Request> | undefined {
		return from === 'start' ? this.remaining.pop() : this.remaining.shift();
	}

	/** @param waitMs how long the service asks to wait, in milliseconds. */
	postpone(job: Job<Request>, failure: Failure, waitMs: number): void {
		const timesPostponed = job.timesPostponed + 1;
		const notBefore = systemClock.now() + waitMs;
		this.postponed.push({ ...job, failure, timesPostponed, notBefore });
	}

	/** Resumes those whose wait is over. */
	resumeDue(): void {
		const now = systemClock.now();
		this.remaining.push(...this.takePostponed(({ notBefore }) => notBefore <= now));
	}

	/** Takes those that would still have to wait for minutes. */
	takeLate(): Array<PostponedJob<Request>> {
		const soon = systemClock.now() + MINUTE_MS;
		return this.takePostponed(({ notBefore }) => notBefore > soon);
	}

	/** How long the service asks to wait for all that are postponed, in milliseconds: 0 if there are none. */
	get longestWaitMs(): number {
		const now = systemClock.now();
		return Math.max(0, ...this.postponed.map(({ notBefore }) => notBefore - now));
	}

	/** Resumes all, whether their wait is over or not. */
	resumeAll(): void {
		this.remaining.push(...this.takePostponed());
	}

	/** Takes all that is left. */
	takeAll(): Array<Job<Request>> {
		return [...this.remaining.splice(0).reverse(), ...this.takePostponed()];
	}

	private takePostponed(
		isTaken: (job: PostponedJob<Request>) => boolean = () => true,
	): Array<PostponedJob<Request>> {
		const taken = this.postponed.filter(isTaken);
		this.postponed = this.postponed.filter((job) => !isTaken(job));
		return taken;
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
		else jobs.set(request.path, { requests: [request], timesPostponed: 0 });
	}
	return [...jobs.values()];
}
