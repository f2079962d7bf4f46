import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** What a process holds after a garbage collection. */
export interface MemorySample {
	/** Milliseconds since 1970. */
	at: number;
	/** JavaScript's objects. */
	heapMB: number;
	/** Of the operating system. */
	rssMB: number;
}

// A process that has loaded this file appends samples of its memory to the file that the environment names, one a line.
const EVERY_MS = 15_000;
const file = process.env.SOAK_MEMORY_FILE;
if (file !== undefined && isMainThread) {
	// Processes that this one starts would load this file too.
	delete process.env.SOAK_MEMORY_FILE;
	setInterval(() => appendFileSync(file, `${sample()}\n`), EVERY_MS).unref();
}

function sample(): string {
	globalThis.gc?.();
	const { rss, heapUsed } = process.memoryUsage();
	const taken: MemorySample = { at: Date.now(), heapMB: heapUsed / 1e6, rssMB: rss / 1e6 };
	return JSON.stringify(taken);
}
