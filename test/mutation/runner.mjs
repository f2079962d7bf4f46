import { readdirSync } from 'node:fs';
import path from 'node:path';
import {
	commonTokens,
	declareFactoryPlugin,
	PluginKind,
	tokens,
} from '@stryker-mutator/api/plugin';
import {
	determineHitLimitReached,
	DryRunStatus,
	TestStatus,
	toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { Tests } from './tests.mjs';

/** A test that takes longer is left to `npm test`: it would be run for each mutant that it reaches. */
const LONGEST_TEST_MS = 1500;

/** The same where a mutant is reached while a file is loaded, and so concerns all tests. */
const LONGEST_OF_ALL_TESTS_MS = 300;

/** In the order in which they are run, after those about the mutated file itself: the fast ones first. */
const FOLDERS = ['account', 'api', 'shared', 'credentials', 'nodes', 'engine', 'examples'];

/** Where Stryker and the instrumented sources meet. */
const NAMESPACE = '__stryker__';

/**
 * Runs the tests of jest in one process in which the engine, the package and the helpers are loaded once: jest's own
 * runner would load all of them again, for seconds, for each mutant and each file of tests.
 */
class MutationRunner {
	constructor(logger) {
		this.log = logger;
		this.context = globalThis[NAMESPACE] ??= {};
	}

	capabilities() {
		return { reloadEnvironment: true };
	}

	async init() {
		this.tests = new Tests(FOLDERS.flatMap(testFiles));
		await this.tests.load();
	}

	async dryRun() {
		const results = await this.tests.run({
			// Whatever runs between tests, such as the loading of the package, is static to Stryker.
			onTest: (id) => {
				this.context.currentTestId = id;
			},
		});
		const { perTest, static: atLoad } = this.context.mutantCoverage;
		for (const result of results) {
			const reason = reasonToLeaveOut(result);
			if (reason === undefined) continue;
			this.log.info(`Left out, ${reason}: ${result.id}`);
			result.isLeftOut = true;
			delete perTest[result.id];
		}
		// What runs while a file is loaded concerns all tests. Stryker by itself would not spare it those that are left out.
		const onceEach = Object.fromEntries(Object.keys(atLoad).map((mutant) => [mutant, 1]));
		for (const { id, isLeftOut, timeSpentMs } of results) {
			if (isLeftOut || timeSpentMs > LONGEST_OF_ALL_TESTS_MS) continue;
			perTest[id] = { ...onceEach, ...perTest[id] };
		}
		return {
			status: DryRunStatus.Complete,
			tests: results.map(toResult),
			mutantCoverage: this.context.mutantCoverage,
		};
	}

	async mutantRun({
		activeMutant,
		sandboxFileName,
		testFilter,
		hitLimit,
		disableBail,
		reloadEnvironment,
	}) {
		const hitCount = hitLimit === undefined ? undefined : 0;
		if (reloadEnvironment) this.tests.unload();
		Object.assign(this.context, { activeMutant: activeMutant.id, hitLimit, hitCount });
		const results = await this.tests.run({
			only: testFilter,
			bail: !disableBail,
			about: path.relative(process.cwd(), sandboxFileName),
		});
		if (reloadEnvironment) this.tests.unload();
		const isEndless = determineHitLimitReached(this.context.hitCount, hitLimit);
		Object.assign(this.context, { activeMutant: undefined, hitLimit: undefined });
		return toMutantRunResult(
			isEndless ?? { status: DryRunStatus.Complete, tests: results.map(toResult) },
		);
	}
}

function testFiles(folder) {
	return readdirSync(path.join('test', folder), { recursive: true })
		.filter((file) => file.endsWith('.test.ts'))
		.map((file) => path.resolve('test', folder, file));
}

function reasonToLeaveOut({ errors, timeSpentMs }) {
	if (errors.length > 0) return errors[0];
	return timeSpentMs > LONGEST_TEST_MS ? `since it takes ${timeSpentMs} ms` : undefined;
}

function toResult({ errors, isLeftOut, ...test }) {
	if (isLeftOut) return { ...test, status: TestStatus.Skipped };
	return errors.length === 0
		? { ...test, status: TestStatus.Success }
		: { ...test, status: TestStatus.Failed, failureMessage: errors[0] };
}

const createRunner = (logger) => new MutationRunner(logger);
createRunner.inject = tokens(commonTokens.logger);

export const oneProcess = declareFactoryPlugin(PluginKind.TestRunner, 'one-process', createRunner);
