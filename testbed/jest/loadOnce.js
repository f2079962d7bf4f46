/** Loads a module outside the context of the tests: once in a worker, and not for each file. */
module.exports = {
	process: (_source, file) => ({
		code: `const load = require('node:vm').runInThisContext('process.mainModule.require');
module.exports = load(${JSON.stringify(file)});`,
	}),
};
