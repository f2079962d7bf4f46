import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Backs off, so that polling does not slow down a busy process. */
const retryPauseMs = (waitedMs: number) => Math.min(Math.max(waitedMs / 20, 100), 1000);

/** The codes of Node.js and, for a timeout, of axios. */
const NO_ANSWER = new Set<unknown>(['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED']);

/** Waits until a condition is true. A connection that is refused, reset or timed out counts as false. @throws Error after that time. */
export async function until(
	isTrue: () => Promise<boolean> | boolean,
	milliseconds = 60_000,
): Promise<void> {
	const beganAt = Date.now();
	const isTrueNow = async () => await isTrue();
	for (;;) {
		const noAnswer = (error: { code?: string }) => {
			if (NO_ANSWER.has(error.code)) return false;
			throw error;
		};
		if (await isTrueNow().catch(noAnswer)) return;
		const waitedMs = Date.now() - beganAt;
		if (waitedMs > milliseconds) {
			throw new Error(`Not within ${milliseconds / 1000} s: ${String(isTrue)}`);
		}
		await sleep(retryPauseMs(waitedMs));
	}
}

/**
 * Each of jest's workers has a range of its own, below the ports that Linux assigns by itself and above 10080, the last one
 * that browsers block.
 */
const PORT_COUNT = 5000;
const MIN_PORT = 11_000 + PORT_COUNT * (Number(process.env.JEST_WORKER_ID ?? 0) % 4);

/** A program may not listen on its port yet, or not at the moment. */
const usedPorts = new Set<number>();

/** Returns a free port on loopback, each only once. */
export async function getFreePort(): Promise<number> {
	const port = randomInt(MIN_PORT, MIN_PORT + PORT_COUNT);
	if (usedPorts.has(port)) return await getFreePort();
	if (!(await isFree(port))) return await getFreePort();
	usedPorts.add(port);
	return port;
}

export async function isFree(port: number): Promise<boolean> {
	const server = createServer();
	return await new Promise<boolean>((resolve) => {
		server.once('error', () => resolve(false));
		server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
	});
}
