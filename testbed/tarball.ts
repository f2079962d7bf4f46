import { createHash } from 'node:crypto';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import manifest from '../package.json';
import { run } from './command';

const ROOT = path.resolve(__dirname, '..');

export interface Tarball {
	file: string;
	sha256: string;
	/** The packed files. */
	folder: string;
	names: string[];
}

/** Packs the built package. The checkout is private, so that nobody publishes it by mistake; the tarball is not. */
export async function pack(destination: string): Promise<Tarball> {
	const staged = path.join(destination, 'staged');
	for (const name of [...manifest.files, 'README.md', 'LICENSE.md']) {
		await cp(path.join(ROOT, name), path.join(staged, name), { recursive: true });
	}
	const published = JSON.stringify({ ...manifest, private: undefined }, null, 2);
	await writeFile(path.join(staged, 'package.json'), `${published}\n`);

	// npm keeps who may read a file, which depends on the umask: the tarball must not.
	await run('chmod', ['-R', 'u=rwX,go=rX', staged]);

	const printed = await run(
		'npm',
		['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', destination],
		{ cwd: staged, quiet: true },
	);
	const [packed] = JSON.parse(printed) as [{ filename: string; files: Array<{ path: string }> }];
	const file = path.join(destination, packed.filename);
	return {
		file,
		sha256: createHash('sha256')
			.update(await readFile(file))
			.digest('hex'),
		folder: staged,
		names: packed.files.map((entry) => entry.path),
	};
}
