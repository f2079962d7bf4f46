import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { command } from '../commandLine';
import { n8nLint } from './n8nLint';
import { n8nScan } from './n8nScan';
import { npmLint } from './npmLint';
import { rebuild } from './rebuild';
import { pack } from '../../testbed/tarball';

const ROOT = path.resolve(__dirname, '../..');

async function main(): Promise<void> {
	const scratch = await mkdtemp(path.join(tmpdir(), 'n8n-nodes-aquaculture-'));
	try {
		const tarball = await pack(ROOT, path.join(scratch, 'packed'));
		report('n8n-node lint', await n8nLint(ROOT, scratch));
		report("n8n's scan of packages", await n8nScan(ROOT, tarball));
		report('publint', await npmLint(tarball));
		report('The same tarball from another folder', await rebuild(ROOT, tarball, scratch));
	} finally {
		await rm(scratch, { recursive: true });
	}
}

/** @param found by a check: nothing where it has passed. */
function report(check: string, found: string): void {
	if (!found) {
		console.log(`✓ ${check}`);
		return;
	}
	console.log(`✗ ${check}\n${found}\n`);
	process.exitCode = 1;
}

command(main);
