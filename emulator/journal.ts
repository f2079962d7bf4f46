import type { Fault, Route } from './faults';
import { MINUTE_MS } from './rateLimit';

export interface ReceivedRequest {
	route: Route;
	method: string;
	/** Path and query as sent. */
	url: string;
	/** By lower-case name. */
	headers: Record<string, string | string[] | undefined>;
	body: string;
	/** Milliseconds, monotonic. */
	at: number;
	/** The username of the login, or the one that its token was issued to. */
	account?: string;
	/** Set once the emulator has answered. */
	status?: number;
	/** Whether the connection closed before the end of the answer. */
	wasAborted?: boolean;
	fault?: Fault;
}

/** Records the requests that the emulator receives. */
export class Journal {
	requests: ReceivedRequest[] = [];

	peakConcurrency = 0;

	inFlight = 0;

	of(route: Route): ReceivedRequest[] {
		return this.requests.filter((request) => request.route === route);
	}

	count(route: Route): number {
		return this.of(route).length;
	}

	/** Counts answers with status 429. */
	countRateLimited(): number {
		return this.requests.filter(({ status }) => status === 429).length;
	}

	/** Returns the most requests in any 60 seconds; refused ones count. */
	maxPerMinute(): number {
		const times = this.requests.map(({ at }) => at);
		const countFrom = (from: number) =>
			times.filter((time) => time >= from && time < from + MINUTE_MS).length;
		return Math.max(0, ...times.map(countFrom));
	}

	begin(request: ReceivedRequest): void {
		this.requests.push(request);
		this.inFlight += 1;
		this.peakConcurrency = Math.max(this.peakConcurrency, this.inFlight);
	}

	end(): void {
		this.inFlight -= 1;
	}

	clear(): void {
		this.requests = [];
		this.peakConcurrency = this.inFlight;
	}
}
