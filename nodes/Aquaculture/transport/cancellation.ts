/**
 * Ends all requests of an execution at once. An AbortSignal alone would do the same, but Node.js warns of a leak when
 * more than ten requests listen to one.
 */
export class Cancellation {
	private readonly enders = new Set<() => void>();

	private cancelled = false;

	/** Ends what is under way, and what is begun later; the signal is not listened to any more. */
	readonly cancel = (): void => {
		this.signal?.removeEventListener('abort', this.cancel);
		this.cancelled = true;
		for (const end of this.enders) end();
		this.enders.clear();
	};

	/** @param signal cancels as well, once it is aborted. */
	constructor(private readonly signal?: AbortSignal) {
		if (signal?.aborted) this.cancel();
		signal?.addEventListener('abort', this.cancel, { once: true });
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
}
