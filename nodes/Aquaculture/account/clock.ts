import { sleep } from 'n8n-workflow';

/** Where an account takes the time from, in milliseconds. It is monotonic: setting the machine's clock does not move it. */
export interface Clock {
	now(): number;
	sleep(milliseconds: number): Promise<unknown>;
}

export const systemClock: Clock = { now: () => performance.now(), sleep };
