import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Tarball } from '../../testbed/tarball';
import { TOOLS } from './tools';

/** What n8n's tool exports. */
interface Scanner {
	SOURCE_FILE_PATTERNS: string[];
	analyzePackage(
		folder: string,
		patterns?: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
}

const SCANNER = '@n8n/scan-community-package/scanner/scanner.mjs';

/**
 * Runs n8n's scan of published packages on the sources and on the packed files, where comments that switch rules off
 * do not count. Its look at npm's proof of where a package was built is left out: there is none before it is published.
 *
 * @returns what it found.
 */
export async function n8nScan(root: string, tarball: Tarball): Promise<string> {
	const { analyzePackage, SOURCE_FILE_PATTERNS } = (await import(
		pathToFileURL(path.join(TOOLS, SCANNER)).href
	)) as Scanner;
	const verdicts = [
		await analyzePackage(root, SOURCE_FILE_PATTERNS),
		await analyzePackage(tarball.folder),
	];
	return verdicts
		.filter(({ passed }) => !passed)
		.map(({ message, details }) => [message, details].join('\n'))
		.join('\n');
}
