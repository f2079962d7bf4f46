/** The emulator's routes, as counters and faults name them; `other` is any request that is not documented. */
export type Route = 'token' | 'site' | 'other';

/** What the emulator does instead of answering as documented. */
export type Fault =
	/**
	 * Answers with this status, these headers and this body. Without a body, a status from 400 on has the published one
	 * and any other has none.
	 */
	| { kind: 'status'; status: number; headers?: Record<string, string>; body?: string }
	/** Answers with status 200 and this body. */
	| { kind: 'body'; body: string | Buffer; contentType?: string }
	/** Answers with this status and repeats everything that it was sent, in body, headers and `Location`. */
	| { kind: 'echo'; status: number; contentType?: string }
	/** Answers as documented, and repeats everything that it was sent, in a further field and a further header. */
	| { kind: 'echoBeside' }
	/** Closes the connection without an answer. */
	| { kind: 'reset' }
	/** Announces the whole answer, sends half of it, and closes the connection. */
	| { kind: 'truncated' }
	/** Accepts the request and never answers. */
	| { kind: 'hang' }
	/** Sends the right answer, one byte at a time. */
	| { kind: 'trickle'; msPerByte: number }
	/** Sends a JSON string of this many bytes. */
	| { kind: 'huge'; bytes: number };

/** Where and how often a fault shows. */
export interface FaultRule {
	route: Route;
	fault: Fault;
	/** Only for this site. */
	siteId?: number;
	/** How many requests it meets; all of them if it is left out. */
	times?: number;
}
