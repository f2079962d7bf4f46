const Module = require('node:module');
const Runtime = require('jest-runtime').default;

/** Packages are Node.js's own matter; only the project's files are loaded anew for each file of tests. */
const isPackage = (name) => !/^(?:[./]|@jest\/globals$)/.test(name);

let current;
const load = Module._load;
/** n8n-core loads the node by the `require` of Node.js. */
Module._load = (name, ...rest) =>
	/\/dist\/(?:nodes|credentials)\//.test(name)
		? current.requireModuleOrMock(current.testPath, name)
		: load(name, ...rest);

module.exports = class MutationRuntime extends Runtime {
	constructor(config, ...rest) {
		super(config, ...rest);
		this.testPath = rest.at(-2);
		current = this;
	}

	requireModuleOrMock(from, name) {
		return isPackage(name)
			? Module.createRequire(from)(name)
			: super.requireModuleOrMock(from, name);
	}
};
