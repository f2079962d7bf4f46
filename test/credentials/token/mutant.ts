import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';

const DIRECTORY = path.resolve(__dirname, '../../../credentials/token');

/** One line of a file in `credentials/token/`, and what takes its place. */
export interface Mutation {
	file: string;
	line: string;
	without: string;
}

/**
 * Loads a module of `credentials/token/` with one line changed, in it or in one that it uses, to show that a test would
 * notice the loss of that line. Each call loads a copy of its own, with a state of its own.
 *
 * @throws when the line does not stand in its file exactly once, so that no mutation can outlive the code it is about.
 */
export async function loadMutant<T>(module: string, mutation?: Mutation): Promise<T> {
	const { outputFiles } = await build({
		entryPoints: [path.join(DIRECTORY, module)],
		bundle: true,
		platform: 'node',
		format: 'cjs',
		external: ['n8n-workflow'],
		write: false,
		plugins: [
			{
				name: 'mutation',
				setup({ onLoad }) {
					onLoad({ filter: /credentials.token.\w+\.ts$/ }, ({ path: file }) => {
						const contents = readFileSync(file, 'utf8');
						const isMutated = path.basename(file) === mutation?.file;
						return {
							loader: 'ts',
							contents: isMutated ? mutate(contents, mutation) : contents,
						};
					});
				},
			},
		],
	});
	const loaded = { exports: {} as T };
	const run = new Function('module', 'exports', 'require', outputFiles[0]?.text ?? '') as (
		...scope: unknown[]
	) => void;
	run(loaded, loaded.exports, createRequire(__filename));
	return loaded.exports;
}

function mutate(contents: string, { file, line, without }: Mutation): string {
	if (contents.split(line).length !== 2)
		throw new Error(`${file} does not hold exactly once: ${line}`);
	return contents.replace(line, () => without);
}
