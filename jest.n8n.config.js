const tsx = require('tsx/cjs/api');
const tests = require('./jest.config.js');

const { PICTURED_VERSION, VERSIONS } = tsx.require('./testbed/n8n/versions.ts', module.filename);

/** Tests in a real n8n, which is installed first if it is missing. */
/** @type {import('jest').Config} */
module.exports = {
	...tests,
	testMatch: ['<rootDir>/test/n8n/**/*.test.ts'],
	// Another version looks different.
	testPathIgnorePatterns: [
		'/node_modules/',
		...(VERSIONS.includes(PICTURED_VERSION) ? [] : ['pictures']),
	],
	testEnvironment: '<rootDir>/testbed/jest/environment.ts',
	globalSetup: '<rootDir>/testbed/jest/globalSetup.ts',
	setupFiles: [],
	testTimeout: 360_000,
	// One of them waits most of the time.
	maxWorkers: 3,
};
