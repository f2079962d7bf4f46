const { createEmptyTestResult } = require('@jest/test-result');
const circus = require('jest-circus/runner').default;
const run = require('./run');

/** What jest is told of a file that is not run; it wants to hear of one test at least. */
const LEFT_OUT = { status: 'pending', fullName: '', ancestorTitles: [], failureMessages: [] };

/** Runs a file of tests, unless the mutant has been killed already. */
module.exports = async (globalConfig, config, environment, runtime, testPath, ...rest) => {
	if (run.isDecided()) {
		return { ...createEmptyTestResult(), testFilePath: testPath, testResults: [LEFT_OUT] };
	}
	return await circus(globalConfig, config, environment, runtime, testPath, ...rest);
};
