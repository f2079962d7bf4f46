import { createRequire } from 'node:module';
import path from 'node:path';

/** What loading a package costs a process. */
export interface Loading {
	milliseconds: number;
	/** Heap in use after a garbage collection, in megabytes. */
	heapMB: number;
}

// Loads the package in a folder as n8n does at its start, and prints the cost.
const [, , n8nFolder = '', packageFolder = ''] = process.argv;
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
const milliseconds = performance.now() - begin;
const loading: Loading = { milliseconds, heapMB: heapMB() - before };
console.log(JSON.stringify(loading));
