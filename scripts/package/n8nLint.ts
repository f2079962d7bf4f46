import { cp, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { x } from 'tinyexec';
import { TOOLS } from './tools';

/** What n8n's tool is to see: the sources of a package, and nothing of how this one is built and tested. */
const SOURCES = ['package.json', 'tsconfig.json', 'api', 'credentials', 'icons', 'nodes', 'shared'];
const CONFIG = '@n8n/node-cli/dist/template/templates/shared/default/eslint.config.mjs';

/**
 * Runs `n8n-node lint` with the settings of a new package, on which it insists where package.json has `n8n.strict`.
 *
 * @returns what it printed beside its name; a warning is found as well as an error.
 */
export async function n8nLint(root: string, scratch: string): Promise<string> {
	const staged = path.join(scratch, 'staged');
	await mkdir(staged, { recursive: true });
	for (const source of SOURCES) {
		await cp(path.join(root, source), path.join(staged, source), { recursive: true });
	}
	await cp(path.join(TOOLS, CONFIG), path.join(staged, 'eslint.config.mjs'));
	// The tool is found beside the sources, and what they import is found above them.
	await symlink(TOOLS, path.join(staged, 'node_modules'));
	await symlink(path.join(root, 'node_modules'), path.join(scratch, 'node_modules'));

	const lint = x(path.join(TOOLS, '.bin/n8n-node'), ['lint'], { nodeOptions: { cwd: staged } });
	const { exitCode, stdout, stderr } = await lint;
	const found = stdout.replace(/^.*n8n-node lint.*$/m, '').trim();
	return exitCode === 0 ? found : `${found}\n${stderr}`;
}
