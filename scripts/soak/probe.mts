import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';

/** What a process holds after a garbage collection. */
export interface MemorySample {
	/** Milliseconds since 1970. */
	at: number;
	heapMB: number;
}

// An n8n that has loaded this file appends samples of its memory to a file in its user folder, one a line.
const EVERY_MS = 15_000;
const folder = process.env.N8N_USER_FOLDER;
if (folder !== undefined && isMainThread) {
	// Processes that n8n starts would load this file too.
	delete process.env.NODE_OPTIONS;
	setInterval(
		() => appendFileSync(path.join(folder, 'memory.jsonl'), `${sample()}\n`),
		EVERY_MS,
	).unref();
}

function sample(): string {
	globalThis.gc?.();
	const taken: MemorySample = { at: Date.now(), heapMB: process.memoryUsage().heapUsed / 1e6 };
	return JSON.stringify(taken);
}
