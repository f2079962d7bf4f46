import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../testbed/command';
import { copyCheckout } from '../../testbed/copyCheckout';
import { useTemporaryFolder } from '../../testbed/jest/useTemporaryFolder';
import { pack } from '../../testbed/tarball';

const ROOT = path.resolve(__dirname, '../..');

const temporaryFolder = useTemporaryFolder();

it('npm run pack makes the same tarball anywhere, and prints its SHA-256', async () => {
	const { file, sha256 } = await pack(temporaryFolder());
	const cwd = path.join(temporaryFolder(), 'another/place');
	await copyCheckout(cwd);
	const commands = ['umask 077', 'npm run pack > printed', 'tail -n 1 printed > sums'];
	const line = [...commands, 'sha256sum --check sums'].join(' && ');
	await run('sh', ['-c', line], { cwd, env: { TZ: 'Pacific/Auckland' }, quiet: true });

	const sums = await readFile(path.join(cwd, 'sums'), 'utf8');
	expect(sums).toBe(`${sha256}  ${path.basename(file)}\n`);
});

it('Git for Windows checks out the same bytes', async () => {
	const clone = ['clone', '--quiet', '--config', 'core.autocrlf=true', '--depth', '1'];
	await run('git', [...clone, `file://${ROOT}`, '.'], { cwd: temporaryFolder(), quiet: true });

	const listed = await run('git', ['ls-files', '--eol'], { cwd: temporaryFolder(), quiet: true });
	expect(listed.match(/^i\/.+ w\/(crlf|mixed) .+$/gm)).toBeNull();
});

it('the tarball contains exactly the published files', async () => {
	const { names } = await pack(temporaryFolder());

	expect(names.toSorted()).toEqual([
		'CHANGELOG.md',
		'LICENSE.md',
		'README.md',
		'dist/NOTICE',
		'dist/bundle.js',
		'dist/credentials/AquacultureApi.credentials.js',
		'dist/icons/aquaculture.dark.svg',
		'dist/icons/aquaculture.svg',
		'dist/nodes/Aquaculture/Aquaculture.node.js',
		'dist/nodes/Aquaculture/Aquaculture.node.json',
		'dist/nodes/Aquaculture/AquacultureTrigger.node.js',
		'dist/nodes/Aquaculture/AquacultureTrigger.node.json',
		'dist/nodes/Aquaculture/__schema__/v1.0.0.json',
		'dist/nodes/Aquaculture/__schema__/v1.0.0/site/getManySites.json',
		'dist/nodes/Aquaculture/__schema__/v1.0.0/site/getSite.json',
		'dist/nodes/Aquaculture/__schema__/v1.0.0/unit/getUnits.json',
		'index.js',
		'package.json',
	]);
});

it('the bundle requires only n8n-workflow and node:crypto', () => {
	const code = readFileSync(path.join(ROOT, 'dist/bundle.js'), 'utf8');
	const needed = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name);

	expect(new Set(needed)).toEqual(new Set(['n8n-workflow', 'node:crypto']));
});

it('the entry point exports nodes and credential', () => {
	expect(Object.keys(createRequire(__filename)('../..') as object)).toEqual([
		'Aquaculture',
		'AquacultureApi',
		'AquacultureTrigger',
	]);
});
