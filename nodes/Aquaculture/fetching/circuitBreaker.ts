import type { Failure } from '../messages/failure';

/* Is the service down, and which document is sent next while it may be? */

/**
 * Not three: if nine of ten requests fail, so do three documents in a row quite often, with all their tries. Five are no proof either,
 * so probes follow.
 */
const MAX_FAILURES_IN_A_ROW = 5;

/**
 * Where in the list of unsent documents to take the probes from, one after the other: 0 is the next document, 1 the last one. Far
 * apart, because neighbours may fail for the same reason.
 */
const PROBES_AT = [1, 1 / 2, 3 / 4, 1 / 4, 7 / 8];

type BreakerState = 'closed' | 'probing' | 'givenUp';

/**
 * Spares a service that is down, and the people who wait for it: 400 documents with all their tries would take a quarter of an
 * hour.
 *
 * | State   | Begins when                         | The unsent documents                                             |
 * | ------- | ----------------------------------- | ---------------------------------------------------------------- |
 * | closed  | a document is answered              | are sent in their order, several at a time                       |
 * | probing | five documents in a row have failed | are sent one at a time: the last one, the middle one, and others |
 * | givenUp | all five probes have failed, too    | are not sent                                                     |
 *
 * Any failure that is not transient counts as an answer: a 404, an untrusted certificate, or one that stops `fetchAll`, such as a
 * refused login.
 */
export class CircuitBreaker {
	/** Documents that have failed since the last answer. */
	private failures = 0;
	/** The probes among them: not those that were in flight when probing began. */
	private failedProbes = 0;
	/** The one in flight. */
	private probe: Promise<void> | undefined;

	get state(): BreakerState {
		if (this.failures < MAX_FAILURES_IN_A_ROW) return 'closed';
		return this.failedProbes < PROBES_AT.length ? 'probing' : 'givenUp';
	}

	/**
	 * @param fetch fetches the next document, or the one at this part of the list (`probeAt`, up to 1 for the last one), and records the
	 *   result.
	 */
	async call(fetch: (probeAt?: number) => Promise<void>): Promise<void> {
		while (this.state === 'probing' && this.probe) await this.probe;
		if (this.state !== 'probing') return await fetch();
		this.probe = fetch(PROBES_AT[this.failedProbes]);
		try {
			await this.probe;
		} finally {
			this.probe = undefined;
		}
	}

	/** Records what came of a document that was sent: without a failure, it was answered. */
	record(failure: Failure | undefined, isProbe: boolean): void {
		if (failure?.isTransient) {
			this.failures += 1;
			if (isProbe) this.failedProbes += 1;
		} else {
			this.failures = 0;
			this.failedProbes = 0;
		}
	}
}
