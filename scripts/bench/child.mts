import { readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { isMainThread } from 'node:worker_threads';

/** What a process has used by its end. */
export interface Usage {
	/** User and system time of all its threads. */
	cpuSeconds: number;
	/** The most memory that it has held at once. */
	peakMemoryMB: number;
}

/** What the bare script reads. */
export interface Reading {
	baseUrl: string;
	headers: Record<string, string>;
	siteIds: readonly number[];
}

/** What loading a package costs; the heap is measured after a garbage collection. */
export interface Loading {
	milliseconds: number;
	heapMB: number;
}

// Each process that has loaded this file writes its usage to standard error as its last line.
if (isMainThread) {
	process.on('exit', () => {
		const { user, system } = process.cpuUsage();
		// Unlike getrusage's figure, this one counts the program alone, not what the process ran before it.
		const status = readFileSync('/proc/self/status', 'utf8');
		const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
		const cpuSeconds = (user + system) / 1e6;
		writeSync(2, `\n${JSON.stringify({ cpuSeconds, peakMemoryMB: Number(kilobytes) / 1024 })}`);
	});
}

const [, file, task, ...words] = process.argv;
if (isMainThread && file === import.meta.filename) {
	// A module that others require may not await at its top.
	void (task === 'load' ? load(words) : read()).then((results) =>
		console.log(JSON.stringify(results)),
	);
}

/** Loads the package in a folder as n8n does at its start. */
async function load([n8nFolder = '', packageFolder = '']: string[]): Promise<Loading> {
	const requireOfN8n = createRequire(path.join(n8nFolder, 'package.json'));
	requireOfN8n('reflect-metadata');
	const { LazyPackageDirectoryLoader } = requireOfN8n('n8n-core') as {
		LazyPackageDirectoryLoader: new (directory: string) => { loadAll(): Promise<void> };
	};
	const heapMB = () => {
		globalThis.gc?.();
		return process.memoryUsage().heapUsed / 1e6;
	};
	const loader = new LazyPackageDirectoryLoader(packageFolder);
	const before = heapMB();
	const begin = performance.now();
	await loader.loadAll();
	return { milliseconds: performance.now() - begin, heapMB: heapMB() - before };
}

/** Reads sites as a script without n8n does, as many at once as the node. */
async function read(): Promise<{ seconds: number; siteIds: number[] }> {
	const { baseUrl, headers, siteIds } = (await json(process.stdin)) as Reading;
	const begin = performance.now();
	const found: number[] = [];
	const left = siteIds.entries();
	const work = async () => {
		for (const [index, siteId] of left) {
			const url = `${baseUrl}/meta/sites/${siteId}?$include=units,info`;
			const site = (await (await fetch(url, { headers })).json()) as { siteId: number };
			found[index] = site.siteId;
		}
	};
	await Promise.all(Array.from({ length: 20 }, work));
	return { seconds: (performance.now() - begin) / 1000, siteIds: found };
}
