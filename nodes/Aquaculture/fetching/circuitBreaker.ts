import type { Failure } from '../messages/failure';
import { isTransient } from '../service/retry';

/**
 * The service seems to be down when this many documents in a row have failed with all their tries. Three would trip too often if
 * nine of ten requests fail.
 */
const MAX_FAILURES_IN_A_ROW = 5;
/** How many probes in a row may fail. More without an answer, because some documents alone may be slow. */
const MAX_FAILED_PROBES = { answered: 2, silent: 4 };

/** How to fetch the next document: see {@link CircuitBreaker}. */
export type BreakerState = 'closed' | 'halfOpen' | 'open' | 'silent';

/**
 * Spares a service that is down, and the people who wait for it: 200 documents with five tries each take eleven minutes.
 *
 * | State    | Since the last document that was answered | The next documents                   |
 * | -------- | ----------------------------------------- | ------------------------------------ |
 * | closed   | fewer than five have failed in a row      | are fetched                          |
 * | halfOpen | five have failed in a row                 | wait, while one at a time is a probe |
 * | open     | two probes have failed, with a status     | get one try                          |
 * | silent   | four probes have failed, without one      | are not sent                         |
 *
 * Any failure that is not transient counts as an answer: a 404, an untrusted certificate, or one that stops `fetchAll`, such as a
 * refused login.
 */
export class CircuitBreaker {
	private failuresInARow = 0;
	private failedProbes = 0;
	private isProbing = false;
	/** Whether the last failure was one without an answer. */
	private isSilent = false;
	private waiting: Array<() => void> = [];

	private get state(): BreakerState {
		if (this.isSilent && this.failedProbes >= MAX_FAILED_PROBES.silent) return 'silent';
		if (!this.isSilent && this.failedProbes >= MAX_FAILED_PROBES.answered) return 'open';
		return this.failuresInARow >= MAX_FAILURES_IN_A_ROW ? 'halfOpen' : 'closed';
	}

	/**
	 * @param fetch fetches a document as the state says. It returns why that failed; undefined if it was answered, or if there is
	 *   nothing left to fetch.
	 */
	async call(fetch: (state: BreakerState) => Promise<Failure | undefined>): Promise<void> {
		while (this.state === 'halfOpen' && this.isProbing) {
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		}
		const { state } = this;
		const isProbe = state === 'halfOpen';
		if (isProbe) this.isProbing = true;
		try {
			const failure = await fetch(state);
			if (state !== 'silent') this.record(failure, isProbe);
		} finally {
			if (isProbe) this.isProbing = false;
			for (const resume of this.waiting.splice(0)) resume();
		}
	}

	private record(failure: Failure | undefined, isProbe: boolean): void {
		if (failure && isTransient(failure)) {
			this.failuresInARow += 1;
			this.isSilent = failure.statusCode === undefined;
			if (isProbe) this.failedProbes += 1;
		} else {
			this.failuresInARow = 0;
			this.failedProbes = 0;
		}
	}
}
