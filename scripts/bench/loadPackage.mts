import { createRequire } from 'node:module';
import path from 'node:path';

/** What n8n's loader of packages is used for here. */
interface PackageLoader {
	loadAll(): Promise<void>;
}

/** What loading a package has cost a process. */
export interface LoadingCost {
	milliseconds: number;
	/** Of the heap that stays in use, in megabytes. */
	heapMB: number;
	/** Of the memory of the process, in megabytes. */
	memoryMB: number;
}

// Loads the package in a folder as n8n does at its start, and prints what that has cost.
const [, , n8nFolder = '', packageFolder = ''] = process.argv;
const requireOfN8n = createRequire(path.join(n8nFolder, 'package.json'));
requireOfN8n('reflect-metadata');
const { LazyPackageDirectoryLoader } = requireOfN8n('n8n-core') as {
	LazyPackageDirectoryLoader: new (directory: string) => PackageLoader;
};

const usage = () => {
	globalThis.gc?.();
	return process.memoryUsage();
};

const loader = new LazyPackageDirectoryLoader(packageFolder);
const before = usage();
const begin = performance.now();
void loader.loadAll().then(() => {
	const milliseconds = performance.now() - begin;
	const after = usage();
	const grown = (name: 'heapUsed' | 'rss') => (after[name] - before[name]) / 1e6;
	const cost: LoadingCost = { milliseconds, heapMB: grown('heapUsed'), memoryMB: grown('rss') };
	console.log(JSON.stringify(cost));
});
