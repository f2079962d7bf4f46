import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Metafile } from 'esbuild';

/** These licences only require that their text accompanies the code. */
const ALLOWED_LICENCES = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];
const LICENCE_FILE = /^(licen[cs]e|copying)\b/i;
/** Apache-2.0 requires this file too. */
const NOTICE_FILE = /^notice\b/i;

/**
 * Lists the bundled packages with the texts of their licences.
 *
 * @throws Error if a licence is not allowed or has no text.
 */
export function buildNotice(metafile: Metafile): string {
	const packages = bundledFolders(metafile).map(describeLicence);
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

function describeLicence(folder: string): string {
	const { name, version, license } = JSON.parse(
		readFileSync(path.join(folder, 'package.json'), 'utf8'),
	) as Record<'name' | 'version' | 'license', string>;
	if (!ALLOWED_LICENCES.includes(license)) {
		throw new Error(`${name} ${version} cannot be bundled: its licence is ${String(license)}`);
	}
	const files = readdirSync(folder).sort();
	const texts = [LICENCE_FILE, NOTICE_FILE].flatMap((kind) =>
		files.filter((file) => kind.test(file)).map((file) => readText(path.join(folder, file))),
	);
	if (!files.some((file) => LICENCE_FILE.test(file))) {
		throw new Error(`${name} ${version} cannot be bundled: it has no text of its licence`);
	}
	return [`${name} ${version} (${license})\n`, ...texts].join('\n');
}

function readText(file: string): string {
	return `${readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim()}\n`;
}
