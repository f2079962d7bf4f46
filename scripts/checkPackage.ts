import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { x } from 'tinyexec';
import { pack, type Tarball } from '../testbed/tarball';
import { command } from './commandLine';

const ROOT = path.resolve(__dirname, '..');
/** n8n's tools are too large for the dependencies of the package, and only this script needs publint. */
const TOOLS = path.join(ROOT, 'tools/node_modules');

async function main(): Promise<void> {
	const scratch = await mkdtemp(path.join(tmpdir(), 'n8n-nodes-aquaculture-'));
	try {
		const tarball = await pack(path.join(scratch, 'packed'));
		report('n8n-node lint, strict, on the published sources', await n8nLint(scratch));
		report("n8n's scan of packages", await n8nScan(tarball));
		report('publint', await npmLint(tarball));
	} finally {
		await rm(scratch, { recursive: true });
	}
}

/** @param findings empty if the check passed. */
function report(check: string, findings: string): void {
	console.log(findings ? `✗ ${check}\n${findings}\n` : `✓ ${check}`);
	if (findings) process.exitCode = 1;
}

/**
 * Runs `n8n-node lint` in strict mode on a copy of the published sources: in the repository it would lint tests and tools
 * too.
 *
 * @returns errors and warnings.
 */
async function n8nLint(scratch: string): Promise<string> {
	const SOURCES = ['package.json', 'tsconfig.json', 'credentials', 'icons', 'nodes'];
	const staged = path.join(scratch, 'staged');
	for (const source of SOURCES) {
		await cp(path.join(ROOT, source), path.join(staged, source), { recursive: true });
	}
	// Node.js finds the tool beside the sources, and their imports one folder above.
	await symlink(TOOLS, path.join(staged, 'node_modules'));
	await symlink(path.join(ROOT, 'node_modules'), path.join(scratch, 'node_modules'));

	const tool = async (...parameters: string[]) =>
		await x(path.join(TOOLS, '.bin/n8n-node'), parameters, { nodeOptions: { cwd: staged } });
	// Sets strict mode, with n8n's own settings of ESLint.
	await tool('cloud-support', 'enable');
	const cloud = await tool('cloud-support');
	// The tool prints colours in CI.
	if (!stripVTControlCharacters(cloud.stdout).includes('Cloud support is ENABLED')) {
		return `${cloud.stdout}\n${cloud.stderr}`;
	}
	const { exitCode, stdout, stderr } = await tool('lint');
	const found = stripVTControlCharacters(stdout)
		.replace(/^.*n8n-node lint.*$/m, '')
		.trim();
	return exitCode === 0 ? found : `${found}\n${stderr}`;
}

interface Scanner {
	SOURCE_FILE_PATTERNS: string[];
	analyzePackage(
		folder: string,
		patterns?: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
}

/**
 * Runs n8n's scan of published packages, which ignores comments that switch rules off, on the sources and the packed files.
 * Its check of npm's provenance is left out: before publishing there is none.
 */
async function n8nScan(tarball: Tarball): Promise<string> {
	const scanner = path.join(TOOLS, '@n8n/scan-community-package/scanner/scanner.mjs');
	const imported: unknown = await import(pathToFileURL(scanner).href);
	const { analyzePackage, SOURCE_FILE_PATTERNS } = imported as Scanner;
	const verdicts = [
		await analyzePackage(ROOT, SOURCE_FILE_PATTERNS),
		await analyzePackage(tarball.folder),
	];
	return verdicts
		.filter(({ passed }) => !passed)
		.map(({ message, details }) => [message, details].join('\n'))
		.join('\n');
}

/** Returns publint's errors, warnings and suggestions. */
async function npmLint({ file }: Tarball): Promise<string> {
	const { stdout, stderr } = await x(path.join(TOOLS, '.bin/publint'), ['run', '--strict', file]);
	// Suggestions do not change the tool's status.
	return stdout.includes('All good!') ? '' : stdout + stderr;
}

command(main);
