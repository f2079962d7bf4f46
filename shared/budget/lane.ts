/** What takes turns with others: an execution, a poll, or all HTTP Request nodes of an account together. */
export class Lane {
	private waiting = 0;

	private waitingSince = 0;

	private waitedBeforeMs = 0;

	/** @param isPoll whether its requests are those of a trigger, which leaves at least half of the budget to others. */
	constructor(readonly isPoll = false) {}

	/** How long requests have waited, in milliseconds; the time in which several waited counts once. */
	waitedMs(now: number): number {
		return this.waitedBeforeMs + (this.waiting > 0 ? now - this.waitingSince : 0);
	}

	beginWait(now: number): void {
		if (this.waiting === 0) this.waitingSince = now;
		this.waiting += 1;
	}

	endWait(now: number): void {
		this.waitedBeforeMs = this.waitedMs(now);
		this.waitingSince = now;
		this.waiting -= 1;
	}
}
