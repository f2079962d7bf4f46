const tests = require('./jest.config.js');

/** Runs the engine tests on the sources instead of the bundle made of them, so that coverage can be told by line. */
/** @type {import('jest').Config} */
module.exports = {
	...tests,
	testPathIgnorePatterns: [
		...tests.testPathIgnorePatterns,
		'<rootDir>/test/docs/',
		'<rootDir>/test/package/',
		'<rootDir>/test/scripts/',
	],
	moduleNameMapper: { '/dist/((?:nodes|credentials)/.+)\\.js$': '<rootDir>/$1.ts' },
	collectCoverage: true,
	collectCoverageFrom: ['{api,shared,credentials,nodes}/**/*.ts'],
	coverageReporters: ['text', 'lcov'],
	coverageThreshold: { global: { statements: 98, branches: 95, functions: 98, lines: 98 } },
};
