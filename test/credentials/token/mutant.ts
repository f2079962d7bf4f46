import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { buildSync } from 'esbuild';

/**
 * Loads a source file with one line of it changed, to show that a test would notice the loss of that line.
 *
 * @throws when the line does not stand in the file exactly once, so that no mutant can outlive the code it is about.
 */
export function loadMutant<T>(file: string, line: string, replacement: string): T {
	const source = readFileSync(file, 'utf8');
	if (source.split(line).length !== 2) {
		throw new Error(`${path.basename(file)} does not hold exactly once: ${line}`);
	}
	const { outputFiles } = buildSync({
		stdin: {
			contents: source.replace(line, () => replacement),
			loader: 'ts',
			resolveDir: path.dirname(file),
		},
		bundle: true,
		platform: 'node',
		format: 'cjs',
		external: ['n8n-workflow'],
		write: false,
	});
	const loaded = { exports: {} as T };
	const run = new Function('module', 'exports', 'require', outputFiles[0]?.text ?? '') as (
		...scope: unknown[]
	) => void;
	run(loaded, loaded.exports, createRequire(file));
	return loaded.exports;
}
