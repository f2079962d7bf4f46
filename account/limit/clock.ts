import { sleep } from 'n8n-workflow';

/** A monotonic clock: waits must not depend on the time of day. Times are in milliseconds. */
export interface Clock {
	now(): number;
	sleep(milliseconds: number): Promise<void>;
}

/** The clock of this process. n8n bans `setTimeout` from what is published; its `sleep` is the same. */
export const processClock: Clock = { now: () => performance.now(), sleep };
