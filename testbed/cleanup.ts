interface Stoppable {
	stop(): Promise<void>;
}

/** Stops what it was given, the last first. Node.js 20 has no `AsyncDisposableStack`. */
export class Cleanup {
	private readonly beginning = new AbortController();

	/** Aborts when the cleanup begins. */
	readonly signal = this.beginning.signal;

	private readonly steps: Array<() => Promise<void>> = [];

	/**
	 * Waits until something has started or ended, and registers it: the cleanup waits for it, and stops what has started.
	 *
	 * @throws Error if the cleanup has begun, so that the caller starts nothing more.
	 */
	async use<T extends Stoppable | void>(starting: Promise<T>): Promise<T> {
		this.steps.push(async () => {
			const started = await starting.catch(() => undefined);
			await started?.stop();
		});
		if (this.signal.aborted) await this.run();
		const started = await starting;
		if (this.signal.aborted) throw new Error('The cleanup has begun');
		return started;
	}

	/** @throws AggregateError with all that failed, after the last step. */
	async run(): Promise<void> {
		this.beginning.abort();
		const errors: unknown[] = [];
		for (let step = this.steps.pop(); step; step = this.steps.pop()) {
			await step().catch((error: unknown) => errors.push(error));
		}
		if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join('\n'));
	}
}
