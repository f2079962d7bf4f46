import { spawnSync } from 'node:child_process';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');

/** Runs tests in the way in which they meet mutants. */
function run(...files: string[]): string {
	const { stderr } = spawnSync(
		process.execPath,
		['node_modules/jest/bin/jest.js', '--config', 'test/mutation/jest.config.js', ...files],
		{ cwd: ROOT, encoding: 'utf8' },
	);
	return stderr;
}

it('the tests of a unit and of the engine pass in the environment of the mutation tests', () => {
	const report = run('test/api/retry.test.ts', 'test/engine/onError.test.ts');

	expect(report).toContain('Test Suites: 2 passed, 2 total');
}, 120_000);
