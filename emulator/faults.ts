/** `other` stands for all undocumented endpoints. */
export type Route = 'token' | 'site' | 'other';

export type Fault =
	/** Without a body, a status of 400 or more has the published one, and any other has none. */
	| {
			kind: 'status';
			status: number;
			headers?: Record<string, string>;
			body?: string;
			/** Answers this much later. */
			afterMs?: number;
	  }
	/** Answers with status 200. */
	| { kind: 'body'; body: string | Buffer; contentType?: string }
	/** Repeats the request in body, headers and `Location`. */
	| { kind: 'echo'; status: number; contentType?: string }
	/** Answers as documented, and repeats the request in an extra field and an extra header. */
	| { kind: 'echoBeside' }
	/** Closes the connection without an answer. */
	| { kind: 'reset' }
	/** Announces the whole answer, sends half of it, and closes the connection. */
	| { kind: 'truncated' }
	/** Never answers. */
	| { kind: 'hang' }
	/** Sends the documented answer, one byte at a time. */
	| { kind: 'trickle'; msPerByte: number }
	/** Sends a body of this many bytes. */
	| { kind: 'huge'; bytes: number };

export interface FaultRule {
	route: Route;
	fault: Fault;
	/** Default: all sites. */
	siteId?: number;
	/** Default: all requests. */
	times?: number;
}
