const tests = require('./jest.config.js');
const { pictured, tested } = require('./testbed/n8n/testedVersions.json');

/** Checked in testbed/n8n/versions.ts before the first test. */
const versions = process.env.N8N_VERSIONS?.split(/[\s,]+/) ?? tested;

/** Tests in a real n8n, which is installed first if it is missing. */
/** @type {import('jest').Config} */
module.exports = {
	...tests,
	testMatch: ['<rootDir>/test/n8n/**/*.test.ts'],
	// Another version looks different.
	testPathIgnorePatterns: ['/node_modules/', ...(versions.includes(pictured) ? [] : ['pictures'])],
	testEnvironment: '<rootDir>/testbed/jest/environment.ts',
	globalSetup: '<rootDir>/testbed/jest/globalSetup.ts',
	setupFiles: [],
	testTimeout: 360_000,
	// One of them waits most of the time.
	maxWorkers: 3,
};
