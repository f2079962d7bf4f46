interface Stoppable {
	stop(): Promise<void>;
}

/** Stops what it was given, the last first. Node.js 20 has no `AsyncDisposableStack`. */
export class Cleanup {
	private hasBegun = false;

	private readonly steps: Array<() => Promise<void>> = [];

	/**
	 * Waits until something has started, and registers it: what is still starting when the cleanup runs is stopped too.
	 *
	 * @throws Error if the cleanup has begun, so that the caller starts nothing more.
	 */
	async use<T extends Stoppable>(starting: Promise<T>): Promise<T> {
		this.steps.push(async () => {
			const started = await starting.catch(() => undefined);
			await started?.stop();
		});
		if (this.hasBegun) await this.run();
		const started = await starting;
		if (this.hasBegun) throw new Error('The cleanup has begun');
		return started;
	}

	/** @throws AggregateError with all that failed, after the last step. */
	async run(): Promise<void> {
		this.hasBegun = true;
		const errors: unknown[] = [];
		for (let step = this.steps.pop(); step; step = this.steps.pop()) {
			await step().catch((error: unknown) => errors.push(error));
		}
		if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join('\n'));
	}
}
