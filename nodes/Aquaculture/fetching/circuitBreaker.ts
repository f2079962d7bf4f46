import type { Failure } from '../messages/failure';

/* Is the service down, and what becomes of the next document while it is? */

/** If nine of ten requests fail, so do three documents in a row quite often, with all their tries, but five hardly ever. */
const MAX_FAILURES_IN_A_ROW = 5;

/** How long after five failures in a row a state begins, unless a document is answered. Times in milliseconds. */
interface BreakerTimes {
	oneTryAfterMs: number;
	givenUpAfterMs: number;
}

/** What came of a document: without a failure, it was answered. */
interface Outcome {
	failure?: Failure | undefined;
}

/** What happens to the next document: see {@link CircuitBreaker}. */
export type BreakerState = 'closed' | 'probing' | 'oneTry' | 'givenUp';

/**
 * Spares a service that is down, and the people who wait for it: 400 documents with all their tries would take a quarter of an
 * hour.
 *
 * | State   | Begins                                    | The next documents                       |
 * | ------- | ----------------------------------------- | ---------------------------------------- |
 * | closed  | when a document is answered               | get all their tries                      |
 * | probing | when five in a row have failed            | wait, while one at a time gets all tries |
 * | oneTry  | `oneTryAfterMs` after probing has begun   | get one try, as perhaps only some fail   |
 * | givenUp | `givenUpAfterMs` after probing has begun  | are not sent                             |
 *
 * Any failure that is not transient counts as an answer: a 404, an untrusted certificate, or one that stops `fetchAll`, such as a
 * refused login.
 */
export class CircuitBreaker {
	private failuresInARow = 0;
	/** When five in a row had failed; undefined while it is closed. */
	private openedAt: number | undefined;
	private isProbing = false;
	private waiting: Array<() => void> = [];

	/**
	 * @param now returns the time in milliseconds. It should stand still while the service asks to send nothing.
	 */
	constructor(
		private readonly times: BreakerTimes,
		private readonly now: () => number,
	) {}

	get state(): BreakerState {
		if (this.openedAt === undefined) return 'closed';
		const openMs = this.now() - this.openedAt;
		if (openMs < this.times.oneTryAfterMs) return 'probing';
		return openMs < this.times.givenUpAfterMs ? 'oneTry' : 'givenUp';
	}

	/**
	 * @param fetch fetches a document as the state says, if any is left, and records the outcome.
	 */
	async call(fetch: (state: BreakerState) => Promise<void>): Promise<void> {
		while (this.state === 'probing' && this.isProbing) {
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		}
		const { state } = this;
		const isProbe = state === 'probing';
		if (isProbe) this.isProbing = true;
		try {
			await fetch(state);
		} finally {
			if (isProbe) this.isProbing = false;
			for (const resume of this.waiting.splice(0)) resume();
		}
	}

	/** Records what came of a document that was sent. */
	record({ failure }: Outcome): void {
		if (failure?.isTransient) {
			this.failuresInARow += 1;
			if (this.failuresInARow >= MAX_FAILURES_IN_A_ROW) this.openedAt ??= this.now();
		} else {
			this.failuresInARow = 0;
			this.openedAt = undefined;
		}
	}
}
