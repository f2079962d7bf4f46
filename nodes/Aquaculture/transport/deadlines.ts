interface Pending {
	at: number;
	end(): void;
}

/** The deadlines of many requests, kept with a single timer: one for each would cost a fifteenth of a request. */
export class Deadlines {
	private readonly pending = new Set<Pending>();

	/** When the timer goes off: with the earliest deadline, or before it where that one has been ended early. */
	private timerEndsAt = Infinity;

	/**
	 * Calls `end` after a time.
	 *
	 * @param milliseconds from now.
	 * @returns what to call where it is not to be called any more.
	 */
	begin(milliseconds: number, end: () => void): () => void {
		const at = performance.now() + milliseconds;
		const pending = { at, end };
		this.pending.add(pending);
		if (at < this.timerEndsAt) this.setTimer(at);
		return () => this.pending.delete(pending);
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
		for (const pending of this.pending) {
			if (pending.at > now) continue;
			this.pending.delete(pending);
			pending.end();
		}
		this.timerEndsAt = Infinity;
		const earliest = Math.min(...[...this.pending].map(({ at }) => at));
		if (earliest < Infinity) this.setTimer(earliest);
	}
}
