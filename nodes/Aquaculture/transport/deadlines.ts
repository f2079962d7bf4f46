import delay, { clearDelay } from 'delay';

/** The time that a request may take. */
export interface Deadline {
	/** Fulfilled when the time is over, or has been ended. */
	over: Promise<undefined>;
	/** Ends the time early. */
	end(): void;
}

interface Pending {
	at: number;
	end(): void;
}

/** The deadlines of many requests, kept with a single timer: one for each would cost a fifteenth of a request. */
export class Deadlines {
	private readonly pending = new Set<Pending>();

	/** Until the earliest deadline, or until it is to be determined anew. */
	private pause: Promise<void> | undefined;

	private pauseEndsAt = Infinity;

	/** @param milliseconds from now. */
	begin(milliseconds: number): Deadline {
		const at = performance.now() + milliseconds;
		let end = () => {};
		const over = new Promise<undefined>((resolve) => {
			end = () => {
				this.pending.delete(pending);
				if (this.pending.size === 0) this.wake();
				resolve(undefined);
			};
		});
		const pending = { at, end };
		this.pending.add(pending);
		if (!this.pause) void this.watch();
		else if (at < this.pauseEndsAt) this.wake();
		return { over, end };
	}

	private async watch(): Promise<void> {
		while (this.pending.size > 0) {
			this.pauseEndsAt = Math.min(...[...this.pending].map(({ at }) => at));
			this.pause = delay(this.pauseEndsAt - performance.now());
			await this.pause;
			this.pause = undefined;
			const now = performance.now();
			for (const { at, end } of this.pending) if (at <= now) end();
		}
	}

	private wake(): void {
		if (this.pause) clearDelay(this.pause);
	}
}
