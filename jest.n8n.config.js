const tests = require('./jest.config.js');

/** Tests in a real n8n, which is installed first where it is missing. */
/** @type {import('jest').Config} */
module.exports = {
	...tests,
	testMatch: ['<rootDir>/test/n8n/**/*.test.ts'],
	// It makes pictures of what the other tests show; run times and the like differ from run to run.
	testPathIgnorePatterns: ['/node_modules/', ...(process.env.UPDATE_PICTURES ? [] : ['pictures'])],
	testEnvironment: '<rootDir>/testbed/jest/environment.ts',
	globalSetup: '<rootDir>/testbed/jest/globalSetup.ts',
	setupFiles: [],
	testTimeout: 180_000,
	maxWorkers: 2,
};
