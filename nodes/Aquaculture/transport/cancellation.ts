import { sleep } from 'n8n-workflow';

/** Why a request is ended. Without it, Node.js would make an exception with a stack for each request. */
const OVER = new Error('The request is over');
/** n8n's sleep cannot be ended: no more than this is left of it when a pause is. */
const LONGEST_SLEEP_MS = 1000;

/**
 * Ends all requests and pauses of an execution at once. An AbortSignal alone would do the same, but Node.js warns of a
 * leak when more than ten of them listen to one.
 */
export class Cancellation {
	private readonly enders = new Set<() => void>();

	/** Controllers of requests that are over and have left nothing to be ended. */
	private readonly spare: AbortController[] = [];

	private cancelled = false;

	/** Ends what is under way, and what is begun later; the signal is not listened to any more. */
	readonly cancel = (): void => {
		this.signal?.removeEventListener('abort', this.cancel);
		this.cancelled = true;
		for (const end of this.enders) end();
		this.enders.clear();
		for (const controller of this.spare) controller.abort(OVER);
	};

	/** @param signal cancels as well, once it is aborted. */
	constructor(private readonly signal?: AbortSignal) {
		if (signal?.aborted) this.cancel();
		signal?.addEventListener('abort', this.cancel, { once: true });
	}

	get isCancelled(): boolean {
		return this.cancelled;
	}

	/**
	 * Has a request ended by cancelling, at once where that has happened already.
	 *
	 * @returns what to call when the request is over.
	 */
	register(end: () => void): () => void {
		if (this.cancelled) end();
		this.enders.add(end);
		return () => this.enders.delete(end);
	}

	/** A controller for one request. A new one for each, aborted when it is over, would cost a fifth of a request more. */
	controller(): AbortController {
		return this.spare.pop() ?? new AbortController();
	}

	/** Takes back the controller of a request that is over, after ending what is still under way if there may be any. */
	release(controller: AbortController, { isClean }: { isClean: boolean }): void {
		if (isClean && !this.cancelled) this.spare.push(controller);
		else controller.abort(OVER);
	}

	/** Waits for this time, and in any case lets other things happen, unless cancelling ends the pause. */
	async pause(milliseconds: number): Promise<void> {
		const endsAt = performance.now() + milliseconds;
		let isOver = () => {};
		const cancelled = new Promise<void>((resolve) => {
			isOver = this.register(resolve);
		});
		let left = milliseconds;
		do {
			await Promise.race([cancelled, sleep(Math.min(left, LONGEST_SLEEP_MS))]);
			left = endsAt - performance.now();
		} while (left > 0 && !this.cancelled);
		isOver();
	}
}
