import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/** A package as npm publishes it. */
export interface Tarball {
	content: Buffer;
	/** Where it has been unpacked. */
	folder: string;
}

/** Packs what has been built in a folder, and unpacks that beside the tarball. */
export async function pack(source: string, destination: string): Promise<Tarball> {
	await mkdir(destination);
	const { stdout } = await promisify(execFile)(
		'npm',
		['pack', '--json', '--ignore-scripts', '--pack-destination', destination],
		{ cwd: source },
	);
	const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
	await promisify(execFile)('tar', ['-xzf', filename], { cwd: destination });
	return {
		content: await readFile(path.join(destination, filename)),
		folder: path.join(destination, 'package'),
	};
}
