import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import manifest from '../../package.json';
import { run } from '../../testbed/command';
import { useTemporaryFolder } from '../../testbed/jest/useTemporaryFolder';
import { pack } from '../../testbed/tarball';

const temporaryFolder = useTemporaryFolder();

/** Lists all packages in a folder. */
async function packagesIn(folder: string): Promise<Set<string>> {
	const files = await readdir(folder, { recursive: true });
	const names = files.map((file) => /.*\bnode_modules\/(.+)\/package\.json$/.exec(file)?.[1]);
	return new Set(names.filter((name) => name !== undefined));
}

it('npm installs only the package, without a registry', async () => {
	const { file } = await pack(path.join(temporaryFolder(), 'packed'));
	const nodes = path.join(temporaryFolder(), 'nodes');
	await mkdir(nodes);
	await writeFile(path.join(nodes, 'package.json'), '{"name":"installed-nodes","private":true}');
	const env = {
		// Nothing listens here.
		npm_config_registry: 'http://127.0.0.1:1',
		npm_config_fetch_retries: '0',
	};
	await run('npm', ['install', file], { cwd: nodes, env, quiet: true });

	await expect(packagesIn(nodes)).resolves.toEqual(new Set([manifest.name]));
});
