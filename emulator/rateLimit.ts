/** Counts requests in spells of a second, each of which begins with a request. */
export class RateLimit {
	private spellEndsAt = 0;

	private count = 0;

	/** Whether one more request is within the limit; without a limit all are, and none is counted. */
	admits(requestsPerSecond: number | undefined, now = Date.now()): boolean {
		if (requestsPerSecond === undefined) return true;
		if (now >= this.spellEndsAt) {
			this.spellEndsAt = now + 1000;
			this.count = 0;
		}
		this.count += 1;
		return this.count <= requestsPerSecond;
	}
}
