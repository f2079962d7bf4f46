import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Looks every tenth of a second at first, and less often the longer it waits: who is asked is busy, too. */
const retryPauseMs = (waitedMs: number) => Math.min(Math.max(waitedMs / 20, 100), 1000);

/** Waits until something is true; an address at which nobody answers yet counts as not true. */
export async function until(
	isTrue: () => Promise<boolean> | boolean,
	milliseconds = 60_000,
): Promise<void> {
	const beganAt = Date.now();
	const isTrueNow = async () => await isTrue();
	for (;;) {
		const refused = (error: { code?: string }) => {
			if (error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET') return false;
			throw error;
		};
		if (await isTrueNow().catch(refused)) return;
		const waitedMs = Date.now() - beganAt;
		if (waitedMs > milliseconds) {
			throw new Error(`Not within ${milliseconds / 1000} s: ${String(isTrue)}`);
		}
		await sleep(retryPauseMs(waitedMs));
	}
}

/**
 * Below those that Linux hands out by itself, also in the seconds before a program listens at the port that it was given: for
 * each of jest's workers, which start programs at the same time, others.
 */
const PORTS = 5000;
const LOWEST_PORT = 10_000 + PORTS * (Number(process.env.JEST_WORKER_ID ?? 0) % 4);

/** Who got one of these may listen a little later, or again after a pause. */
const givenPorts = new Set<number>();

/** A port on loopback at which nobody listens, given only once. */
export async function freePort(): Promise<number> {
	const port = randomInt(LOWEST_PORT, LOWEST_PORT + PORTS);
	if (givenPorts.has(port)) return await freePort();
	const server = createServer();
	const isFree = await new Promise<boolean>((resolve) => {
		server.once('error', () => resolve(false));
		server.listen(port, '127.0.0.1', () => resolve(true));
	});
	if (!isFree) return await freePort();
	await new Promise((resolve) => server.close(resolve));
	givenPorts.add(port);
	return port;
}
