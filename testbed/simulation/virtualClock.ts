import type { Clock } from '../../nodes/Aquaculture/utils/clock';

/**
 * A clock that stands still until it is moved on. What sleeps is woken in the order of the times. `jumpingTime` cannot take
 * its place: `npm run simulate` runs without jest, and four hours of an account are 24,000 requests, each of which would wait
 * for 40 turns of Node.js, as loopback needs them.
 */
export class VirtualClock implements Clock {
	private time = 0;

	private sleepers: Array<{ at: number; wake: () => void }> = [];

	now(): number {
		return this.time;
	}

	async sleep(milliseconds: number): Promise<void> {
		await new Promise<void>((wake) => {
			this.sleepers.push({ at: this.time + milliseconds, wake });
		});
	}

	/** Lets time pass, and everything happen that is due meanwhile; with Infinity, until nothing sleeps. */
	async pass(milliseconds: number): Promise<void> {
		const until = this.time + milliseconds;
		for (;;) {
			await settled();
			const next = Math.min(...this.sleepers.map(({ at }) => at));
			if (next === Infinity || next > until) break;
			this.time = Math.max(this.time, next);
			const due = this.sleepers.filter(({ at }) => at <= next);
			this.sleepers = this.sleepers.filter(({ at }) => at > next);
			for (const { wake } of due) wake();
		}
		if (until !== Infinity) this.time = until;
	}
}

/** Lets all promises be fulfilled that can be. */
export async function settled(): Promise<void> {
	await new Promise((resolve) => setImmediate(resolve));
}
