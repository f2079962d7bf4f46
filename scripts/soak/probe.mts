import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** What a process holds after its garbage has been collected, in megabytes. */
export interface MemorySample {
	/** Milliseconds since 1970. */
	at: number;
	/** Of the operating system. */
	rss: number;
	/** JavaScript's objects. */
	heap: number;
}

const EVERY_MS = 15_000;

/** The file to which a process that has loaded this one appends samples, one a line. */
const file = process.env.SOAK_MEMORY_FILE;
if (file !== undefined && isMainThread) {
	// Processes that this one starts would load this file too.
	delete process.env.SOAK_MEMORY_FILE;
	setInterval(() => appendFileSync(file, `${sample()}\n`), EVERY_MS).unref();
}

function sample(): string {
	globalThis.gc?.();
	const { rss, heapUsed } = process.memoryUsage();
	const megabytes = (bytes: number) => Math.round(bytes / 1e4) / 100;
	const taken: MemorySample = {
		at: Date.now(),
		rss: megabytes(rss),
		heap: megabytes(heapUsed),
	};
	return JSON.stringify(taken);
}
