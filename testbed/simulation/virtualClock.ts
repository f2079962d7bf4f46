import type { Clock } from '../../nodes/Aquaculture/utils/time';

/** A clock that only {@link advance} moves. Jest's fake timers are too slow for the 24,000 requests of four hours. */
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

	/** Advances time and wakes sleepers in order; with Infinity, until nothing sleeps. */
	async advance(milliseconds: number): Promise<void> {
		const until = this.time + milliseconds;
		for (;;) {
			await flushPromises();
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

export async function flushPromises(): Promise<void> {
	await new Promise((resolve) => setImmediate(resolve));
}
