import { interfaceTexts } from './interfaceTexts.mjs';
import { oneProcess } from './runner.mjs';

export const strykerPlugins = [interfaceTexts, oneProcess];

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: ['{account,api,shared,credentials,nodes}/**/*.ts'],
	plugins: [import.meta.url],
	ignorers: ['interface-texts'],
	// Otherwise what runs while a file is loaded would be left to all tests, those of many seconds included.
	ignoreStatic: true,
	// The engine tests run the bundle, which is made of the mutated sources.
	buildCommand: 'node --import tsx ../../node_modules/gulp/bin/gulp.js build',
	testRunner: 'one-process',
	coverageAnalysis: 'perTest',
	// The tests wait for most of their time.
	concurrency: 4,
	dryRunTimeoutMinutes: 15,
	timeoutMS: 10_000,
	timeoutFactor: 1.25,
	// What is left of each run adds up.
	maxTestRunnerReuse: 300,
	ignorePatterns: ['/coverage', '/reports', '/test/n8n', '/tools'],
	incremental: true,
	incrementalFile: 'reports/mutation/incremental.json',
	reporters: ['clear-text', 'progress-append-only', 'json', 'html'],
	clearTextReporter: { allowColor: false, reportTests: false },
	htmlReporter: { fileName: 'reports/mutation/mutation.html' },
	jsonReporter: { fileName: 'reports/mutation/mutation.json' },
	thresholds: { high: 95, low: 90, break: 90 },
};
