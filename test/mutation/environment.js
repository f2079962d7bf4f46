const asyncHooks = require('node:async_hooks');
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

/** jest makes a new one for each file of tests, and all that is asynchronous gets slower with each that is not disabled. */
const storages = [];
asyncHooks.AsyncLocalStorage = class extends asyncHooks.AsyncLocalStorage {
	constructor(...options) {
		super(...options);
		storages.push(this);
	}
};

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

	/** Takes away what jest leaves behind, since the context goes on. */
	async teardown() {
		for (const storage of storages.splice(0)) storage.disable();
		for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
			if (/^(?:JEST_|EVENT_HANDLERS$)/.test(symbol.description)) delete globalThis[symbol];
		}
	}

	handleTestEvent({ name, test }) {
		if (name === 'test_start' && (run.isDecided() || this.leftOut.test(test.name))) {
			test.mode = 'skip';
		}
		if (name === 'test_done' && test.errors.length > 0) run.hasFailed = true;
	}
};
