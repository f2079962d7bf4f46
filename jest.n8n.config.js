const tests = require('./jest.config.js');

/** Tests in a real n8n, which is installed first where it is missing. */
/** @type {import('jest').Config} */
module.exports = {
	...tests,
	testMatch: ['<rootDir>/test/n8n/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/'],
	testEnvironment: '<rootDir>/testbed/jest/environment.ts',
	globalSetup: '<rootDir>/testbed/jest/globalSetup.ts',
	setupFiles: [],
	testTimeout: 180_000,
	testSequencer: '<rootDir>/testbed/jest/longestFirst.js',
	// One of them waits most of the time.
	maxWorkers: 3,
};
