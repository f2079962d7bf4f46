import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { run } from '../../testbed/command';
import { readVersions } from '../../testbed/n8n/versions';
import { pictured, tested } from '../../testbed/n8n/testedVersions.json';
import { Page, PAGES, ROOT } from '../docs/pages';

const N8N_TESTS = ['--config', 'jest.n8n.config.js'];
/** Whole, or without the last number. */
const N8N_VERSION = /\b[1-9]\.\d{2,}\.\d+\b|(?<=n8n )[1-9]\.\d{2,}\b/g;
const DAY = /\b20\d\d-\d\d-\d\d\b/;

const ALL_SUITES = readdirSync(path.join(ROOT, 'test/n8n')).sort();
const WITHOUT_PICTURES = ALL_SUITES.filter((suite) => suite !== 'pictures.test.ts');
const IN_EACH = WITHOUT_PICTURES.filter((suite) => !/^(queue|start)\./.test(suite));

const runJest = async (versions: string, ...parameters: string[]) =>
	await run('node', ['node_modules/jest/bin/jest.js', ...N8N_TESTS, ...parameters], {
		cwd: ROOT,
		env: { N8N_VERSIONS: versions },
		quiet: true,
	});

it.each([
	[` ${pictured} `, pictured, ALL_SUITES],
	['1.2.3', '1.2.3', WITHOUT_PICTURES],
	// Stands for the one that is the newest on the night of a run.
	['2.99.0', '2.99.0', WITHOUT_PICTURES],
	[tested.join(), tested.at(-1), IN_EACH],
	['1.2.3,2.4.6', '2.4.6 with its scheduler', ['trigger.test.ts']],
])('with N8N_VERSIONS=%s, n8n %s runs %j', async (versions, name, suites) => {
	const listed = await runJest(versions, '--listTests', '--selectProjects', `n8n ${name}`);

	expect(listed.match(/[^/]+\.test\.ts$/gm)?.sort()).toEqual(suites);
});

it.each([
	['1.2.3', []],
	['2.99.0', ['2.99.0 with its scheduler']],
	['1.2.3, 2.4.6,2.4.7', ['2.4.6 with its scheduler']],
])('with N8N_VERSIONS=%s, the tests run in each version and in %j', async (versions, more) => {
	const shown = JSON.parse(await runJest(versions, '--showConfig')) as {
		configs: Array<{ displayName: { name: string } }>;
	};

	const names = [...readVersions(versions), ...more].map((name) => `n8n ${name}`);
	expect(shown.configs.map(({ displayName }) => displayName.name)).toEqual(names);
});

it('blanks around the versions in N8N_VERSIONS do not count', () => {
	expect(readVersions(' 1.2.3, 2.4.6\n')).toEqual(['1.2.3', '2.4.6']);
});

it.each(['', 'latest', '2.40', '2.4.6,', '2.4.6-beta.1', '1.2.3 2.4.6'])(
	'N8N_VERSIONS="%s" is refused',
	(text) => expect(() => readVersions(text)).toThrow(/^N8N_VERSIONS must name versions such as /),
);

it('the tests in n8n do not begin with an N8N_VERSIONS that is refused', async () => {
	await expect(runJest('latest', 'start')).rejects.toThrow(/N8N_VERSIONS must name versions/);
});

it('CI tests the versions of testedVersions.json', () => {
	const workflow = readFileSync(path.join(ROOT, '.github/workflows/ci.yml'), 'utf8');

	expect(workflow).toContain('jq --compact-output .tested testbed/n8n/testedVersions.json');
	expect(workflow).not.toMatch(N8N_VERSION);
});

it('the README names all tested versions of n8n', () => {
	const { text } = new Page('README.md');

	expect(new Set(text.match(N8N_VERSION))).toEqual(new Set(tested));
});

it.each(PAGES)('$file names no other version of n8n, except to date a measurement', ({ text }) => {
	const lines = text.split('\n').filter((line) => !DAY.test(line));
	const named = lines.flatMap((line) => line.match(N8N_VERSION) ?? []);
	const begun = tested.map((version) => version.replace(/\.\d+$/, ''));

	expect([...tested, ...begun]).toEqual(expect.arrayContaining(named));
});
