import type { Reason } from './answers';
import type { Disturbance } from './plan';
import type { Growth } from './memory';
import type { Cause } from './exchanges';

/** What a soak has shown, as it is kept. */
export interface Results {
	date: string;
	seed: number;
	minutes: number;
	executionsPerSecond: number;
	versions: { package: string; n8n: string; node: string };
	machine: string;
	calls: number;
	disturbances: Record<Disturbance['kind'], number>;
	/** Entries of the calls: those read, and those failed by the reason that the service knows of. */
	entries: { read: number; failed: Record<Reason, number> };
	/** Executions that were stopped by a failure. */
	stopped: number;
	requests: {
		/** For the sites of the calls. */
		sites: number;
		/** Different sites of each call, of which at least one request was sent. */
		asked: number;
		/** The most for one site of a call. */
		mostForASite: number;
		/** Those that neither a failure nor a rejection explains. */
		needless: number;
	};
	exchanges: {
		requests: number;
		issued: number;
		causes: Record<Cause, number>;
		unexplained: number;
	};
	/** Passwords that were entered in n8n, and those that it has undone when it stored a token meanwhile. */
	edits: { made: number; lost: number };
	changes: { made: number; told: number };
	secrets: {
		/** Passwords and tokens that were looked for. */
		lookedFor: number;
		/** Megabytes of answers, log, database and stored executions that were searched. */
		searchedMB: number;
		/** Where one was found. */
		found: string[];
	};
	memory: { soaked: Growth; control: Growth };
	/** All that must not be, in sentences. */
	faults: string[];
}
