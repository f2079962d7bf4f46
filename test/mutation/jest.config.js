const tests = require('../../jest.coverage.config.js');

/** Tests that need the sources as they are written, or seconds for what others show as well. */
const LEFT_OUT = [
	'^but not without: ',
	'whose answer does not come to its end is ended',
	'a thousand items cost two exchanges',
	'with letters beyond ASCII however often',
	'100,000 IDs',
	'works on 10,000 items',
	'at once, cold and revoked',
	'stored by the first requests only',
	'^when it is revoked',
	'takes 50 requests a second',
	'never asks for more than 50 sites',
	'never more than 20 requests at once',
	'in every random mixture of failures',
	'works each time where nothing is said',
	'run one after the other, it is not repeated',
	'without a request that was bound to fail',
	'^works where expires_in is',
	'an answer of 50 MB',
	'a huge answer',
	'nothing is sent after the first failure',
	'has a section with its picture',
];

/** Runs the engine tests on the sources, in which Stryker switches mutants on and off. */
/** @type {import('jest').Config} */
module.exports = {
	...tests,
	rootDir: '../..',
	testMatch: ['<rootDir>/test/{api,credentials,engine,examples,nodes}/**/*.test.ts'],
	setupFiles: [...tests.setupFiles, require.resolve('./setup')],
	testPathIgnorePatterns: ['/credentials/token/signing.test.ts$'],
	runtime: require.resolve('./runtime'),
	testEnvironment: require.resolve('./environment'),
	testEnvironmentOptions: { leftOut: LEFT_OUT },
	testRunner: require.resolve('./jest-circus'),
	testSequencer: require.resolve('./sequencer'),
	testTimeout: 120_000,
	maxWorkers: 1,
};
