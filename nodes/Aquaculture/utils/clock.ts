import { sleep } from 'n8n-workflow';

/** Times in milliseconds. The clock is monotonic, so that setting the machine's clock does not end or prolong a wait. */
export interface Clock {
	now(): number;
	sleep(milliseconds: number): Promise<unknown>;
}

export const systemClock: Clock = { now: () => performance.now(), sleep };
