/** Something that has been started. */
interface Stoppable {
	stop(): Promise<void>;
}

/** What has been started, and is to be ended with the stage: the last first. */
export class Stage {
	private isEnding = false;

	private readonly endings: Array<() => Promise<void>> = [];

	/**
	 * Waits until something has been started. The end of the stage waits for it, too.
	 *
	 * @throws Error if the stage has begun to end, so that nothing more is started.
	 */
	async keep<T extends Stoppable>(starting: Promise<T>): Promise<T> {
		this.endings.push(async () => {
			const started = await starting.catch(() => undefined);
			await started?.stop();
		});
		if (this.isEnding) await this.end();
		const started = await starting;
		if (this.isEnding) throw new Error('The end has begun');
		return started;
	}

	/**
	 * Ends all, also what is still being started.
	 *
	 * @throws AggregateError with what could not be ended, once all the rest has been.
	 */
	async end(): Promise<void> {
		this.isEnding = true;
		const faults: unknown[] = [];
		for (let end = this.endings.pop(); end; end = this.endings.pop()) {
			await end().catch((fault: unknown) => faults.push(fault));
		}
		if (faults.length > 0) throw new AggregateError(faults, faults.map(String).join('\n'));
	}
}
