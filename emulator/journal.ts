import type { Fault, Route } from './faults';
import { MINUTE_MS } from './rateLimit';

/** One request as it arrived. */
export interface ReceivedRequest {
	route: Route;
	method: string;
	/** Path and query as they stood on the wire. */
	url: string;
	/** By lower-case name. */
	headers: Record<string, string | string[] | undefined>;
	body: string;
	/** Milliseconds since 1970. */
	at: number;
	/** Milliseconds of `performance.now()`, which no change of the clock moves. */
	receivedAt: number;
	/** The account that it counts for: that of the login, or that to which its token was issued. */
	account?: string;
	/** Status of the answer, once there is one. */
	status?: number;
	/** Whether the connection was closed before the answer had been sent. */
	isCutOff?: boolean;
	/** What was done instead of answering as documented. */
	fault?: Fault;
	/** The token that the answer held. */
	issued?: string;
	/** The trace ID in the body of an unsuccessful answer. */
	traceId?: string;
}

/** What the emulator has seen so far. */
export class Journal {
	requests: ReceivedRequest[] = [];

	peakConcurrency = 0;

	/** Requests that have been neither answered nor given up. */
	underWay = 0;

	of(route: ReceivedRequest['route']): ReceivedRequest[] {
		return this.requests.filter((request) => request.route === route);
	}

	count(route: ReceivedRequest['route']): number {
		return this.of(route).length;
	}

	/** Requests that were answered with 429. */
	get refusals(): number {
		return this.requests.filter(({ status }) => status === 429).length;
	}

	/** Requests of an account that were answered with 429. */
	refusalsOf(username: string): number {
		return this.requests.filter(({ account, status }) => account === username && status === 429)
			.length;
	}

	/**
	 * The most requests, of an account or of all, that arrived in any minute, refused ones included. What arrives exactly a
	 * minute after the first belongs to the next one.
	 */
	busiestMinute(username?: string): number {
		const arrivals = this.requests
			.filter(({ account }) => username === undefined || account === username)
			.map(({ receivedAt }) => receivedAt);
		const sinceThen = (from: number) =>
			arrivals.filter((time) => time >= from && time < from + MINUTE_MS);
		return Math.max(0, ...arrivals.map((from) => sinceThen(from).length));
	}

	begin(request: ReceivedRequest): void {
		this.requests.push(request);
		this.underWay += 1;
		this.peakConcurrency = Math.max(this.peakConcurrency, this.underWay);
	}

	end(): void {
		this.underWay -= 1;
	}

	clear(): void {
		this.requests = [];
		this.peakConcurrency = this.underWay;
	}
}
