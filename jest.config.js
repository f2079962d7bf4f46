/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	testMatch: ['<rootDir>/test/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/n8n/'],
	modulePathIgnorePatterns: ['<rootDir>/dist/'],
	transform: {
		'\\.tsx?$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
	},
	transformIgnorePatterns: [
		'/node_modules/(?!(delay|unlimited-timeout|random-int|p-limit|yocto-queue|jwt-decode)/)',
	],
	setupFiles: ['<rootDir>/test/setup.ts'],
};
