import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { jestExpect } from '@jest/expect';
import { ModernFakeTimers } from '@jest/fake-timers';
import { transformSync } from '@swc/core';
import * as circus from 'jest-circus';
import { ModuleMocker } from 'jest-mock';

const require = createRequire(import.meta.url);

const [[, SWC]] = Object.values(require('../../jest.config.js').transform);

/** A mutant that keeps a test waiting for longer has been noticed. */
const TEST_TIMEOUT_MS = 5000;

/**
 * The tests of some files, to be run as often as there are mutants. An outcome holds the test's ID (its file and its names),
 * its errors as texts and its time in milliseconds.
 */
export class Tests {
	/** @param files of tests, in the order in which they are run. */
	constructor(files) {
		this.files = files;
		circus.addEventHandler((event) => this.handle(event));
	}

	/** Gives the tests what jest gives them, and loads what they load. */
	async load() {
		const { describe, it, test, beforeAll, beforeEach, afterAll, afterEach } = circus;
		const mocker = new ModuleMocker(globalThis);
		const timers = new ModernFakeTimers({ config: { fakeTimers: {} }, global: globalThis });
		Object.assign(globalThis, {
			...{ describe, it, test, beforeAll, beforeEach, afterAll, afterEach },
			expect: jestExpect,
			jest: {
				fn: mocker.fn.bind(mocker),
				spyOn: mocker.spyOn.bind(mocker),
				restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
				useFakeTimers: timers.useFakeTimers.bind(timers),
				useRealTimers: timers.useRealTimers.bind(timers),
				advanceTimersByTime: timers.advanceTimersByTime.bind(timers),
				advanceTimersToNextTimer: timers.advanceTimersToNextTimer.bind(timers),
				getTimerCount: timers.getTimerCount.bind(timers),
				setSystemTime: timers.setSystemTime.bind(timers),
				// A test may take no longer than any other here.
				setTimeout: () => {},
			},
		});
		// A node's code is beside a file of the same name with the ending .json, which Node.js would take instead.
		const { '.json': json } = require.extensions;
		delete require.extensions['.json'];
		Object.assign(require.extensions, { '.ts': compile, '.json': json });
		require('../setup.ts');
		// Some examples are enough to notice a mutant, and nobody reads the smallest one.
		require('fast-check').configureGlobal({ numRuns: 20, endOnFailure: true });
	}

	/**
	 * Runs tests, one after the other.
	 *
	 * @param only IDs of those that are run; all where it is left out.
	 * @param bail whether the first failure is the last one.
	 * @param about the file of sources whose own tests come first, and then those of its folder.
	 * @param onTest is given the ID of each test that begins, and undefined when it ends.
	 */
	async run({ only, bail = false, about = '', onTest = () => {} } = {}) {
		this.only = only && new Set(only);
		Object.assign(this, { bail, onTest, hasFailed: false, results: [] });
		const nearness = (file) => sharedSteps(about, path.relative('test', file));
		for (const file of this.files.toSorted((one, other) => nearness(other) - nearness(one))) {
			this.file = file;
			const own = only?.filter((id) => id.startsWith(`${this.place}: `));
			if (own?.length === 0) continue;
			if (bail && this.hasFailed) break;
			circus.resetState();
			circus.getState().testTimeout = TEST_TIMEOUT_MS;
			delete require.cache[file];
			if (this.loads(file, own)) await circus.run();
		}
		return this.results;
	}

	/** Forgets the project's files, which are loaded again when they are asked for; libraries stay. */
	unload() {
		for (const file of Object.keys(require.cache)) {
			if (!file.includes('/node_modules/')) delete require.cache[file];
		}
	}

	/** Loads a file of tests; where it cannot be loaded, the first of its tests has failed. */
	loads(file, [id = this.place] = []) {
		try {
			require(file);
			return true;
		} catch (error) {
			this.record({ id, name: id, errors: [String(error)], timeSpentMs: 0 });
			return false;
		}
	}

	get place() {
		return path.relative(process.cwd(), this.file);
	}

	handle({ name, test }) {
		switch (name) {
			case 'run_start':
				return this.select(circus.getState().rootDescribeBlock, []);
			case 'test_start':
				if (this.bail && this.hasFailed) test.mode = 'skip';
				return test.mode === 'skip' ? undefined : this.onTest(test.id);
			case 'test_done':
				return test.mode === 'skip' ? undefined : this.note(test);
		}
	}

	/** Gives each test its ID and takes out those that are not to be run, before jest looks what it has to prepare. */
	select(block, names) {
		for (const child of block.children) {
			const ownNames = [...names, child.name];
			if (child.type === 'describeBlock') {
				this.select(child, ownNames);
			} else {
				child.id = `${this.place}: ${ownNames.join(' › ')}`;
				if (this.only && !this.only.has(child.id)) child.mode = 'skip';
			}
		}
	}

	note({ id, name, errors, duration }) {
		this.onTest(undefined);
		// jest keeps each with a second one, for the place that an error without a stack comes from.
		const texts = errors
			.map((pair) => [pair].flat()[0])
			.map((error) => String(error?.message ?? error));
		this.record({ id, name, errors: texts, timeSpentMs: duration ?? 0 });
	}

	record(result) {
		if (result.errors.length > 0) this.hasFailed = true;
		this.results.push({ ...result, fileName: this.file });
	}
}

/** Loads TypeScript as jest does: what is imported later is required, too, and so is loaded again with the rest. */
function compile(module, filename) {
	const { code } = transformSync(readFileSync(filename, 'utf8'), {
		...SWC,
		filename,
		swcrc: false,
	});
	module._compile(code, filename);
}

/** How many steps two paths have in common at their beginning; `site.ts` and `site.test.ts` are the same step. */
function sharedSteps(one, other) {
	const [steps, others] = [one, other].map((file) =>
		file.replace(/(?:\.test)?\.ts$/, '').split('/'),
	);
	const first = steps.findIndex((step, index) => step !== others[index]);
	return first === -1 ? steps.length : first;
}
