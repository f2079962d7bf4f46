import type { Fault, Route } from './faults';

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
	/** Status of the answer, once there is one. */
	status?: number;
	/** Whether the connection was closed before the answer had been sent. */
	isCutOff?: boolean;
	/** What was done instead of answering as documented. */
	fault?: Fault;
	/** The token that the answer held. */
	issued?: string;
}

/** What the emulator has seen so far. */
export class Journal {
	requests: ReceivedRequest[] = [];

	connections = 0;

	/** Tokens that were issued. */
	exchanges = 0;

	peakConcurrency = 0;

	/** Requests that have been neither answered nor given up. */
	underWay = 0;

	count(route: ReceivedRequest['route']): number {
		return this.of(route).length;
	}

	of(route: ReceivedRequest['route']): ReceivedRequest[] {
		return this.requests.filter((request) => request.route === route);
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
		this.connections = 0;
		this.exchanges = 0;
		this.peakConcurrency = this.underWay;
	}
}
