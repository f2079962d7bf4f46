import { readdirSync } from 'node:fs';
import path from 'node:path';
import { run } from '../../testbed/command';
import { triggerWorlds } from '../../testbed/n8n/versions';
import { tested } from '../../testbed/n8n/testedVersions.json';

const ROOT = path.resolve(__dirname, '../..');
const ALL_SUITES = readdirSync(path.join(ROOT, 'test/n8n')).sort();
const WITHOUT_PICTURES = ALL_SUITES.filter((suite) => suite !== 'pictures.test.ts');

it.each([
	['2.40.7', ALL_SUITES],
	['1.123.81', WITHOUT_PICTURES],
	// Stands for the one that is the newest on the night of a run.
	['2.99.0', WITHOUT_PICTURES],
	[tested.join(), ALL_SUITES],
])('with N8N_VERSIONS=%s, all suites run whose pictures it can show', async (versions, suites) => {
	const jest = ['node_modules/jest/bin/jest.js', '--config', 'jest.n8n.config.js', '--listTests'];
	const listed = await run('node', jest, {
		cwd: ROOT,
		env: { N8N_VERSIONS: versions },
		quiet: true,
	});

	const files = listed.trim().split('\n');
	expect(files.map((file) => path.basename(file)).sort()).toEqual(suites);
});

it.each([
	['1.123.81', []],
	['2.99.0', ['2.99.0 with its scheduler', '2.99.0 with its scheduler and durable cursors']],
	[
		'1.123.81,2.40.7',
		['2.40.7 with its scheduler', '2.40.7 with its scheduler and durable cursors'],
	],
])('with N8N_VERSIONS=%s, the trigger is tested in each version and with %j', (versions, more) => {
	const names = [...versions.split(','), ...more].map((name) => `n8n ${name}`);

	expect(triggerWorlds(versions.split(',')).map(({ name }) => name)).toEqual(names);
});
