import type { Clock } from '../../nodes/Aquaculture/utils/time';

/** A clock that only {@link advance} moves. Jest's fake timers are too slow for the 24,000 requests of four hours. */
export class VirtualClock implements Clock {
	private time = 0;

	private sleepers: Array<{ at: number; wake: () => void }> = [];

	private steps = 0;

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
			this.steps += 1;
			// A turn of the event loop takes longer, but Jest needs some to end a test that hangs.
			if (this.steps % 100 === 0) await flushPromises();
			else await new Promise<void>((resolve) => process.nextTick(resolve));
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
