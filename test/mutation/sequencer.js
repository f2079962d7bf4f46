const { readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const Sequencer = require('@jest/test-sequencer').default;
const run = require('./run');

/** What the run without a mutant has shown of each file: its tests, and how long one of them takes. */
const RECORD = path.join(__dirname, 'record.json');

/** Runs only the files with tests that reach the mutant, and those first whose tests are fast. */
module.exports = class MutationSequencer extends Sequencer {
	constructor({ globalConfig: { testNamePattern } }) {
		super();
		this.pattern = new RegExp(testNamePattern ?? '', 'i');
	}

	sort(tests) {
		run.start();
		if (!run.hasMutant) return tests;
		const record = JSON.parse(readFileSync(RECORD, 'utf8'));
		return tests
			.filter(({ path: file }) => record[file]?.names.some((name) => this.pattern.test(name)))
			.sort((a, b) => record[a.path].meanMs - record[b.path].meanMs);
	}

	cacheResults(_tests, { testResults }) {
		if (run.hasMutant) return;
		const entries = testResults.map(({ testFilePath, testResults: results, perfStats }) => {
			const names = results
				.filter(({ status }) => status === 'passed')
				.map(({ fullName }) => fullName);
			return [testFilePath, { names, meanMs: perfStats.runtime / names.length }];
		});
		writeFileSync(RECORD, JSON.stringify(Object.fromEntries(entries)));
	}
};
