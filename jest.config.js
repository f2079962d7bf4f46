const { availableParallelism } = require('node:os');

// A time zone that is far from UTC and no whole hours from it shows a date that is wrong in some zones. n8n's tests have it too.
process.env.TZ ??= 'Pacific/Chatham';

/** Packages that are published as ES modules only. */
const ES_MODULES = 'github-slugger|marked|jwt-decode|pixelmatch|tinyexec';

/** Packages that take most of the time to load n8n. Tests fake none of their timers. */
const LOADED_ONCE =
	'@langchain/core|ast-types|fast-glob|fastify|lodash|recast|ssh2|transliteration|undici|winston|xml2js|zod';

/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: '<rootDir>/testbed/jest/unitEnvironment.ts',
	testMatch: ['<rootDir>/test/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/n8n/'],
	setupFiles: ['<rootDir>/test/setup.ts'],
	transform: {
		[`/node_modules/(${LOADED_ONCE})/`]: '<rootDir>/testbed/jest/loadOnce.js',
		'\\.m?[jt]s$': [
			'@swc/jest',
			{
				jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
				module: { type: 'commonjs' },
			},
		],
	},
	transformIgnorePatterns: ['<rootDir>/dist/', `/node_modules/(?!(${ES_MODULES}|${LOADED_ONCE})/)`],
	// Node.js looks up globals slowly in the context of a test; these are found at once.
	sandboxInjectedGlobals: ['Infinity', 'Math', 'Promise'],
	// One more than cores, because some tests only wait for another program.
	maxWorkers: availableParallelism() + 1,
	// Only ends a test that hangs. The slowest takes ten seconds, and a busy machine many times as long.
	testTimeout: 120_000,
};
