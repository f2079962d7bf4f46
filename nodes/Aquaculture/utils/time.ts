import { sleep } from 'n8n-workflow';

/* Units of time in milliseconds, the clock, and what ends or divides a wait. */

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Times in milliseconds. The clock is monotonic, so that setting the machine's clock does not end or prolong a wait. */
export interface Clock {
	now(): number;
	sleep(milliseconds: number): Promise<unknown>;
}

export const systemClock: Clock = { now: () => performance.now(), sleep };

/** Waits for work until a signal aborts, then returns undefined; the work continues. */
export async function unlessAborted<T>(
	work: Promise<T>,
	signal: AbortSignal | undefined,
): Promise<T | undefined> {
	if (signal?.aborted) {
		// Nobody else handles its rejection.
		work.catch(() => undefined);
		return undefined;
	}
	return await new Promise<T | undefined>((resolve, reject) => {
		const end = () => resolve(undefined);
		signal?.addEventListener('abort', end, { once: true });
		work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', end));
	});
}

/**
 * Returns a signal that aborts after this time. It is not the one of `AbortSignal.timeout` itself, which is lost to garbage
 * collection when combined by `AbortSignal.any` (Node.js 20.20).
 */
export function timeoutSignal(milliseconds: number): AbortSignal {
	const controller = new AbortController();
	const timeout = AbortSignal.timeout(Math.max(0, Math.ceil(milliseconds)));
	timeout.addEventListener('abort', () => controller.abort());
	return controller.signal;
}

/** n8n 2.40 takes about a millisecond to evaluate the expressions of an item, and 0.025 ms to create an error. */
const VALUES_BETWEEN_PAUSES = 100;

/** Yields values, and lets n8n do its other work from time to time. */
export async function* withPauses<T>(values: Iterable<T>): AsyncGenerator<T> {
	let count = 0;
	for (const value of values) {
		yield value;
		count += 1;
		if (count % VALUES_BETWEEN_PAUSES === 0) await sleep(0);
	}
}
