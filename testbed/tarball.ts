import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from './command';

/** A package as npm publishes it. */
export interface Tarball {
	file: string;
	content: Buffer;
	/** Where it has been unpacked. */
	folder: string;
	/** The names of what it holds. */
	names: string[];
}

/** Packs what has been built in a folder, and unpacks that beside the tarball. */
export async function pack(source: string, destination: string): Promise<Tarball> {
	await mkdir(destination, { recursive: true });
	const printed = await run(
		'npm',
		['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', destination],
		{ cwd: source, quiet: true },
	);
	const [packed] = JSON.parse(printed) as [{ filename: string; files: Array<{ path: string }> }];
	const file = path.join(destination, packed.filename);
	await run('tar', ['-xzf', file, '-C', destination], { quiet: true });
	return {
		file,
		content: await readFile(file),
		folder: path.join(destination, 'package'),
		names: packed.files.map((entry) => entry.path),
	};
}
