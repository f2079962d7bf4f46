/** Something that has been started. */
interface Stoppable {
	stop(): Promise<void>;
}

/** What has been started, and is to be ended with the stage: the last first. */
export class Stage {
	private isEnding = false;

	private readonly endings: Array<() => Promise<void>> = [];

	/** What the end waits for. */
	private readonly underWay = new Set<Promise<unknown>>();

	/**
	 * Waits until something has been started.
	 *
	 * @throws Error if the stage has begun to end meanwhile: what has been started is ended at once.
	 */
	async keep<T extends Stoppable>(starting: Promise<T>): Promise<T> {
		return await this.track(async () => {
			const started = await starting;
			await this.add(async () => await started.stop());
			return started;
		});
	}

	/**
	 * Adds something that has been started, by what ends it.
	 *
	 * @throws Error if the stage has begun to end: it is ended at once.
	 */
	async add(end: () => Promise<void>): Promise<void> {
		if (this.isEnding) {
			await this.track(end);
			throw new Error('The end has begun');
		}
		this.endings.push(end);
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
		while (this.underWay.size > 0) await Promise.allSettled(this.underWay);
		if (faults.length > 0) throw new AggregateError(faults, faults.map(String).join('\n'));
	}

	private async track<T>(task: () => Promise<T>): Promise<T> {
		const running = task();
		this.underWay.add(running);
		try {
			return await running;
		} finally {
			this.underWay.delete(running);
		}
	}
}
