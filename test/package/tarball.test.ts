import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import manifest from '../../package.json';
import { pack } from '../../testbed/tarball';

const ROOT = path.resolve(__dirname, '../..');

it('the packed tarball holds exactly what n8n and people need', async () => {
	const scratch = await mkdtemp(path.join(tmpdir(), 'tarball-'));
	const { names } = await pack(ROOT, scratch);
	await rm(scratch, { recursive: true });

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

it('the packed tarball needs nothing but n8n-workflow', () => {
	const code = readFileSync(path.join(ROOT, 'dist/bundle.js'), 'utf8');
	const needed = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name);

	expect(new Set(needed)).toEqual(new Set(['n8n-workflow', 'node:crypto']));
});

it('Dependabot groups what is bundled, and only that', () => {
	const settings = readFileSync(path.join(ROOT, '.github/dependabot.yml'), 'utf8');
	const [, grouped = ''] = /bundled:\s+patterns: \[(.*)\]/.exec(settings) ?? [];
	const notice = readFileSync(path.join(ROOT, 'dist/NOTICE'), 'utf8');
	const bundled = [...notice.matchAll(/^(\S+) [\d.]+ \(.+\)$/gm)].map(([, name]) => name);

	expect(grouped.split(', ')).toEqual(bundled);
});

it('package.json asks n8n for nothing that verification refuses', () => {
	expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	expect(manifest).not.toHaveProperty('dependencies');
	expect(manifest).not.toHaveProperty('overrides');
	for (const hook of ['preinstall', 'install', 'postinstall', 'prepare']) {
		expect(manifest.scripts).not.toHaveProperty(hook);
	}
});

it('package.json has an entry that gives nodes and credential', () => {
	expect(Object.keys(createRequire(__filename)('../..') as object)).toEqual([
		'Aquaculture',
		'AquacultureApi',
		'AquacultureTrigger',
	]);
});
