const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');
const run = require('./run');

/** Stands for the context of this process itself, for which Node.js has no object. */
const THIS_CONTEXT = Symbol('this context');
const { compileFunction } = vm;
vm.compileFunction = (code, names, { parsingContext, ...options }) =>
	compileFunction(code, names, {
		...options,
		...(parsingContext !== THIS_CONTEXT && { parsingContext }),
	});

/** Runs tests in the context of this process, so that packages are loaded once for all mutants. */
module.exports = class MutationEnvironment extends TestEnvironment {
	constructor(config, context) {
		super(config, context);
		this.global = globalThis;
		const { leftOut } = config.projectConfig.testEnvironmentOptions;
		this.leftOut = new RegExp(leftOut.join('|'));
	}

	getVmContext() {
		return THIS_CONTEXT;
	}

	/** There is nothing to tear down: the context goes on. */
	async teardown() {}

	handleTestEvent({ name, test }) {
		if (name === 'test_start' && (run.isDecided() || this.leftOut.test(test.name))) {
			test.mode = 'skip';
		}
		if (name === 'test_done' && test.errors.length > 0) run.hasFailed = true;
	}
};
