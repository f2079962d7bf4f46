import type { Fault, Route } from './faults';
import { MINUTE_MS } from './rateLimit';

/** One request as it arrived. */
export interface ReceivedRequest {
	route: Route | 'other';
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

	/** Accounts that were banned, in their order. */
	bans: string[] = [];

	/** Requests that have been neither answered nor given up. */
	underWay = 0;

	count(route: ReceivedRequest['route']): number {
		return this.of(route).length;
	}

	of(route: ReceivedRequest['route']): ReceivedRequest[] {
		return this.requests.filter((request) => request.route === route);
	}

	/** Requests that were answered with 429. */
	get refusals(): number {
		return refusalsIn(this.requests);
	}

	/** Requests of an account that were answered with 429. */
	refusalsOf(username: string): number {
		return refusalsIn(this.byAccount(username));
	}

	/** Requests of an account, refused ones included. */
	requestsOf(username: string): number {
		return this.byAccount(username).length;
	}

	/**
	 * The most requests, of an account or of all, that arrived in any minute, refused ones included. What arrives exactly a
	 * minute after the first belongs to the next one.
	 */
	busiestMinute(username?: string): number {
		const requests = username === undefined ? this.requests : this.byAccount(username);
		let busiest = 0;
		let first = 0;
		for (const [last, { receivedAt }] of requests.entries()) {
			while (first < last && receivedAt - (requests[first]?.receivedAt ?? 0) >= MINUTE_MS)
				first += 1;
			busiest = Math.max(busiest, last - first + 1);
		}
		return busiest;
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
		this.bans = [];
		this.peakConcurrency = this.underWay;
	}

	private byAccount(username: string): ReceivedRequest[] {
		return this.requests.filter(({ account }) => account === username);
	}
}

function refusalsIn(requests: readonly ReceivedRequest[]): number {
	return requests.filter(({ status }) => status === 429).length;
}
