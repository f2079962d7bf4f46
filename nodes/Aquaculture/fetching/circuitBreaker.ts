import type { Failure } from '../service/failures';
import { isTransient } from '../service/retry';

/**
 * The service seems to be down when this many documents in a row have failed with all their tries. Three would trip too often if
 * nine of ten requests fail.
 */
const MAX_FAILURES_IN_A_ROW = 5;
/** How many probes may get no answer in time. Several, because some documents alone may be slow. */
const MAX_SILENT_PROBES = 3;

/** How to fetch the next document: see {@link CircuitBreaker}. */
export type BreakerState = 'closed' | 'halfOpen' | 'open' | 'silent';

/**
 * Spares a service that is down, and the people who wait for it: 200 documents with five tries each take eleven minutes.
 *
 * | State    | Since                                                 | The next documents                            |
 * | -------- | ----------------------------------------------------- | --------------------------------------------- |
 * | closed   | The beginning, or the last document that was answered | get all their tries                           |
 * | halfOpen | Five documents in a row failed with all their tries   | wait, while one probes with all its tries     |
 * | open     | The probe failed                                      | get one try                                   |
 * | silent   | Three probes got no answer in time                    | are not sent: they would time out, one by one |
 *
 * Any failure that is not transient counts as an answer: a 404, an untrusted certificate, or one that stops `fetchAll`, such as a
 * refused login.
 */
export class CircuitBreaker {
	private state: BreakerState = 'closed';
	private failuresInARow = 0;
	private silentProbes = 0;
	private isProbing = false;
	private waiting: Array<() => void> = [];

	/**
	 * @param fetch fetches a document as the state says. It returns why that failed; undefined if it was answered, or if there is
	 *   nothing left to fetch.
	 */
	async call(fetch: (state: BreakerState) => Promise<Failure | undefined>): Promise<void> {
		while (this.state === 'halfOpen' && this.isProbing) {
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		}
		const isProbe = this.state === 'halfOpen';
		if (isProbe) this.isProbing = true;
		const failure = await fetch(this.state);
		if (isProbe) this.isProbing = false;
		this.report(failure, isProbe);
	}

	private report(failure: Failure | undefined, isProbe: boolean): void {
		if (!failure || !isTransient(failure)) {
			this.failuresInARow = 0;
			this.silentProbes = 0;
			this.enter('closed');
			return;
		}
		this.failuresInARow += 1;
		if (this.state === 'closed' && this.failuresInARow >= MAX_FAILURES_IN_A_ROW) {
			this.enter('halfOpen');
		} else if (isProbe && this.state === 'halfOpen') {
			const isSilent = failure.kind === 'timedOut';
			if (isSilent) this.silentProbes += 1;
			const afterSilence = this.silentProbes < MAX_SILENT_PROBES ? 'halfOpen' : 'silent';
			this.enter(isSilent ? afterSilence : 'open');
		}
	}

	private enter(state: BreakerState): void {
		this.state = state;
		for (const resume of this.waiting.splice(0)) resume();
	}
}
