const tests = require('./jest.config.js');
const { pictured, tested } = require('./testbed/n8n/testedVersions.json');

const versions = process.env.N8N_VERSIONS?.split(',') ?? tested;

const ALL = '<rootDir>/test/n8n/**/*.test.ts';
/** What needs only one version. */
const ONCE = ['queue.test', 'start.test'];
/** What n8n 1 does not have: AI builders, and a migration report for n8n 3. */
const N8N_2_ONLY = ['aiBuilder.test', 'migration.test'];

/** The tests of one n8n. */
const n8n = (name, N8N_VERSION, testMatch, ignored, N8N_SCHEDULER = false) => ({
	displayName: `n8n ${name}`,
	rootDir: __dirname,
	globals: { N8N_VERSION, N8N_SCHEDULER },
	testMatch: [testMatch],
	testPathIgnorePatterns: ['/node_modules/', ...ignored],
	testEnvironment: '<rootDir>/testbed/jest/environment.ts',
	globalSetup: '<rootDir>/testbed/jest/globalSetup.ts',
	transform: tests.transform,
	transformIgnorePatterns: tests.transformIgnorePatterns,
});

const projects = versions.map((version, index) =>
	n8n(version, version, ALL, [
		...(index === 0 ? [] : ONCE),
		...(version.startsWith('1.') ? N8N_2_ONLY : []),
		// Another version looks different.
		...(version === pictured ? [] : ['pictures.test']),
	]),
);
const withScheduler = versions.find((version) => !version.startsWith('1.'));
if (withScheduler) {
	const name = `${withScheduler} with its scheduler`;
	projects.push(n8n(name, withScheduler, '<rootDir>/test/n8n/trigger.test.ts', [], true));
}

/** Tests in a real n8n, which is installed first if it is missing: a project for each version. */
/** @type {import('jest').Config} */
module.exports = {
	projects,
	testTimeout: 360_000,
	// One of them waits most of the time.
	maxWorkers: 3,
};
