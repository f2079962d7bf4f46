import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { run } from '../../testbed/command';
import { triggerWorlds } from '../../testbed/n8n/versions';
import { tested } from '../../testbed/n8n/testedVersions.json';

const ROOT = path.resolve(__dirname, '../..');
const WORKFLOWS = path.join(ROOT, '.github/workflows');
/** Stands for the one that is the newest on the night of a run. */
const NEWEST = '2.99.0';

const ALL_SUITES = readdirSync(path.join(ROOT, 'test/n8n'))
	.map((file) => path.basename(file, '.test.ts'))
	.sort();
const WITHOUT_PICTURES = ALL_SUITES.filter((suite) => suite !== 'pictures');

/** What runs for each value of `N8N_VERSIONS`: suites, and the worlds of the trigger. */
const RUNS: Array<[versions: string, suites: string[], worlds: string[]]> = [
	[
		'2.40.7',
		ALL_SUITES,
		[
			'n8n 2.40.7',
			'n8n 2.40.7 with its scheduler',
			'n8n 2.40.7 with its scheduler and durable cursors',
		],
	],
	['1.123.81', WITHOUT_PICTURES, ['n8n 1.123.81']],
	[
		NEWEST,
		WITHOUT_PICTURES,
		[
			'n8n 2.99.0',
			'n8n 2.99.0 with its scheduler',
			'n8n 2.99.0 with its scheduler and durable cursors',
		],
	],
	[
		tested.join(),
		ALL_SUITES,
		[
			'n8n 2.40.7',
			'n8n 1.123.81',
			'n8n 2.40.7 with its scheduler',
			'n8n 2.40.7 with its scheduler and durable cursors',
		],
	],
];

it.each(RUNS)('with N8N_VERSIONS=%s, the suites that run are known', async (versions, suites) => {
	const jest = ['node_modules/jest/bin/jest.js', '--config', 'jest.n8n.config.js', '--listTests'];
	const listed = await run('node', jest, {
		cwd: ROOT,
		env: { N8N_VERSIONS: versions },
		quiet: true,
	});

	const names = listed
		.trim()
		.split('\n')
		.map((file) => path.basename(file, '.test.ts'));
	expect(names.sort()).toEqual(suites);
});

it.each(RUNS)(
	'with N8N_VERSIONS=%s, the worlds of the trigger are known',
	(versions, _suites, worlds) => {
		expect(triggerWorlds(versions.split(',')).map(({ name }) => name)).toEqual(worlds);
	},
);

it('the workflows use no other value of N8N_VERSIONS', () => {
	const used = readdirSync(WORKFLOWS).flatMap((file) => {
		const text = readFileSync(path.join(WORKFLOWS, file), 'utf8');
		// One in a matrix, or one in a command.
		const values = text.matchAll(/\bn8n: ([\d.]+)|N8N_VERSIONS="([^"]+)"/g);
		return Array.from(values, ([, inMatrix, inCommand]) => inMatrix ?? inCommand);
	});

	expect(new Set(used)).toEqual(new Set(['2.40.7', '1.123.81', '$(npm view n8n version)']));
});
