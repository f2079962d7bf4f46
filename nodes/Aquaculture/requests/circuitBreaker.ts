import { MESSAGES } from '../messages/messages';
import { isTransient, type Failure } from '../service/failures';
import type { Result } from '../utils/result';

/**
 * The service seems to be down when this many documents in a row have failed with all their tries. Three would
 * trip too often if nine of ten requests fail.
 */
const MAX_FAILURES_IN_A_ROW = 5;

/**
 * Spares a service that is down, and the people who wait for it: 200 documents with five tries each take eleven minutes.
 *
 * | State    | Since                                                  | A document gets                                  |
 * | -------- | ------------------------------------------------------ | ------------------------------------------------ |
 * | closed   | The beginning, or the last document that was answered  | All its tries                                    |
 * | halfOpen | Five documents in a row failed with all their tries    | The first one: all its tries; the others wait    |
 * | open     | That one failed, too                                   | One try                                          |
 * | silent   | That one failed, too, without an answer in time        | None: see slow start in `limit/grantPolicy.ts`   |
 *
 * A document that fails for a reason of its own, such as 404, is answered.
 */
export class CircuitBreaker {
	private state: 'closed' | 'halfOpen' | 'open' | 'silent' = 'closed';
	private failuresInARow = 0;
	private waiting: Array<() => void> = [];

	/** @param fetch fetches a document with this many tries at most; undefined for as many as usual. Never throws. */
	async call<T>(
		fetch: (maxTries: number | undefined) => Promise<Result<T, Failure>>,
	): Promise<Result<T, Failure>> {
		while (this.state === 'halfOpen') {
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		}
		if (this.state === 'silent') {
			return { failure: { ...MESSAGES.limits.silent(), kind: 'notSent' } };
		}
		const isProbe = this.state === 'closed' && this.failuresInARow >= MAX_FAILURES_IN_A_ROW;
		if (isProbe) this.state = 'halfOpen';
		const result = await fetch(this.state === 'open' ? 1 : undefined);
		this.report(result.failure, isProbe);
		return result;
	}

	private report(failure: Failure | undefined, isProbe: boolean): void {
		const isAnswered = !failure || !isTransient(failure);
		this.failuresInARow = isAnswered ? 0 : this.failuresInARow + 1;
		if (isAnswered) this.enter('closed');
		// Otherwise, another document was answered in the meantime.
		else if (isProbe && this.state === 'halfOpen')
			this.enter(failure.kind === 'timedOut' ? 'silent' : 'open');
	}

	private enter(state: typeof this.state): void {
		this.state = state;
		for (const resume of this.waiting.splice(0)) resume();
	}
}
