const tests = require('./jest.config.js');

/** Only the tests that run the code of the package, and those of the engine on its sources instead of the bundle. */
/** @type {import('jest').Config} */
module.exports = {
	...tests,
	testMatch: ['<rootDir>/test/{credentials,nodes,engine}/**/*.test.ts'],
	moduleNameMapper: { '/dist/((?:nodes|credentials)/.+)\\.js$': '<rootDir>/$1.ts' },
	collectCoverage: true,
	collectCoverageFrom: ['{credentials,nodes}/**/*.ts'],
	coverageReporters: ['text', 'lcov'],
	coverageThreshold: { global: { statements: 97.9, branches: 95.5, functions: 97.3, lines: 98.6 } },
};
