import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Metafile } from 'esbuild';

/** They ask for no more than that their text goes with the code. */
const ALLOWED_LICENCES = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];
const LICENCE_FILE = /^(licen[cs]e|copying)\b/i;
/** Apache-2.0 asks to pass this file on as well. */
const NOTICE_FILE = /^notice\b/i;

/**
 * Names the packages of which there is something in the bundle, with the text of their licences.
 *
 * @throws Error if a package's licence is none of those that are allowed, or has no text.
 */
export function noticeOf(metafile: Metafile): string {
	const packages = bundledFolders(metafile).map(describe);
	return ['bundle.js contains code of these packages.\n', ...packages].join(
		`\n${'-'.repeat(80)}\n\n`,
	);
}

function bundledFolders({ outputs }: Metafile): string[] {
	const folders = new Set<string>();
	for (const { inputs } of Object.values(outputs)) {
		for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
			const [folder] = /^.*\bnode_modules\/(@[^/]+\/)?[^/]+/.exec(file) ?? [];
			if (folder && bytesInOutput > 0) folders.add(folder);
		}
	}
	return [...folders].sort();
}

function describe(folder: string): string {
	const { name, version, license } = JSON.parse(
		readFileSync(path.join(folder, 'package.json'), 'utf8'),
	) as Record<'name' | 'version' | 'license', string>;
	if (!ALLOWED_LICENCES.includes(license)) {
		throw new Error(`${name} ${version} cannot be bundled: its licence is ${String(license)}`);
	}
	const files = readdirSync(folder).sort();
	const texts = [LICENCE_FILE, NOTICE_FILE].flatMap((kind) =>
		files.filter((file) => kind.test(file)).map((file) => textOf(path.join(folder, file))),
	);
	if (!files.some((file) => LICENCE_FILE.test(file))) {
		throw new Error(`${name} ${version} cannot be bundled: it has no text of its licence`);
	}
	return [`${name} ${version} (${license})\n`, ...texts].join('\n');
}

function textOf(file: string): string {
	return `${readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim()}\n`;
}
