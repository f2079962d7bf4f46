import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import manifest from '../package.json';
import { run } from './command';
import { UserFacingError } from './userFacingError';

const ROOT = path.resolve(__dirname, '..');

export interface Tarball {
	file: string;
	sha256: string;
	/** The unpacked files. */
	folder: string;
	names: string[];
}

/**
 * Packs and unpacks the built package. The checkout is private, so that nobody publishes it by mistake; the tarball is not.
 *
 * @throws UserFacingError if there is no build.
 */
export async function pack(destination: string): Promise<Tarball> {
	if (!existsSync(path.join(ROOT, 'dist'))) {
		throw new UserFacingError('The package has not been built: npm run build');
	}
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
	await run('tar', ['-xzf', file, '-C', destination], { quiet: true });
	return {
		file,
		sha256: createHash('sha256')
			.update(await readFile(file))
			.digest('hex'),
		folder: path.join(destination, 'package'),
		names: packed.files.map((entry) => entry.path),
	};
}
