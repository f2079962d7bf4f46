import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installationOf, MAIN_VERSION } from '../../testbed/n8n/install';
import { pack } from '../../testbed/tarball';
import { median } from './figures';
import type { LoadingCost } from './loadPackage.mjs';
import { measure } from './measure';
import { unlessCrashed } from './processes';

/** What the package weighs, and what loading it costs n8n. */
export interface Footprint {
	/** Day of the measurement, YYYY-MM-DD. */
	date: string;
	/** Bytes of the tarball. */
	tarball: number;
	/** Bytes of all that is in it. */
	unpacked: number;
	/** The code in it, file by file, with its bytes. */
	code: Array<{ file: string; bytes: number }>;
	/** Medians of what loading it costs more than loading a package with nothing inside. */
	loading: LoadingCost;
}

const ROOT = path.resolve(__dirname, '../..');
const LOADER = path.join(__dirname, 'loadPackage.mts');
const EMPTY = { name: 'n8n-nodes-empty', version: '1.0.0', n8n: { nodes: [], credentials: [] } };

/**
 * Packs the package, and loads it and an empty one in turns, each time in a fresh process.
 *
 * @param rounds how often each of them is loaded.
 * @param tell is given a line about what crashed.
 */
export async function measureFootprint(
	rounds: number,
	tell: (line: string) => void,
): Promise<Footprint> {
	const scratch = await mkdtemp(path.join(tmpdir(), 'n8n-nodes-aquaculture-'));
	try {
		const { content, folder } = await pack(ROOT, path.join(scratch, 'packed'));
		const empty = path.join(scratch, 'empty');
		await mkdir(empty);
		await writeFile(path.join(empty, 'package.json'), JSON.stringify(EMPTY));

		const costs: LoadingCost[] = [];
		const references: LoadingCost[] = [];
		for (let round = 0; round < rounds; round += 1) {
			references.push(await unlessCrashed(async () => await load(empty, scratch), tell));
			costs.push(await unlessCrashed(async () => await load(folder, scratch), tell));
		}
		const more = (name: keyof LoadingCost) =>
			median(costs.map((cost) => cost[name])) - median(references.map((cost) => cost[name]));
		const files = await filesOf(folder);
		return {
			date: new Date().toISOString().slice(0, 10),
			tarball: content.byteLength,
			unpacked: files.reduce((sum, { bytes }) => sum + bytes, 0),
			code: files.filter(({ file }) => file.startsWith('dist/') && file.endsWith('.js')),
			loading: {
				milliseconds: more('milliseconds'),
				heapMB: more('heapMB'),
				memoryMB: more('memoryMB'),
			},
		};
	} finally {
		await rm(scratch, { recursive: true });
	}
}

async function load(packageFolder: string, scratch: string): Promise<LoadingCost> {
	const { node, n8n } = installationOf(MAIN_VERSION);
	const n8nFolder = path.resolve(n8n, '../..');
	const { output } = await measure(
		{
			command: node,
			parameters: [LOADER, n8nFolder, packageFolder],
			// As n8n sets it for its packages, which find n8n-workflow there.
			env: { ...process.env, NODE_PATH: path.dirname(n8nFolder) },
		},
		scratch,
		['--expose-gc'],
	);
	return JSON.parse(output) as LoadingCost;
}

async function filesOf(folder: string): Promise<Array<{ file: string; bytes: number }>> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => path.join(parentPath, name))
		.sort();
	return await Promise.all(
		files.map(async (file) => ({
			file: path.relative(folder, file),
			bytes: (await stat(file)).size,
		})),
	);
}
