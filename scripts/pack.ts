import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pack } from '../testbed/tarball';
import { command } from './commandLine';

const ROOT = path.resolve(__dirname, '..');

/** Puts the tarball to publish into the root of the repository, and prints its SHA-256 as `sha256sum --check` reads it. */
async function main(): Promise<void> {
	const scratch = await mkdtemp(path.join(tmpdir(), 'pack-'));
	try {
		const { file, sha256 } = await pack(scratch);
		const name = path.basename(file);
		await copyFile(file, path.join(ROOT, name));
		console.log(`${sha256}  ${name}`);
	} finally {
		await rm(scratch, { recursive: true });
	}
}

command(main);
