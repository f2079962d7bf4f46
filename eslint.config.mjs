import { readFileSync } from 'node:fs';
import js from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import { defineConfig, globalIgnores } from 'eslint/config';
import importPlugin, { createNodeResolver } from 'eslint-plugin-import-x';
import n8nNodesPlugin from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

const communityNodes = n8nCommunityNodesPlugin.configs.recommended;
/** What is published: n8n's rules apply to it, with the settings that n8n's own tool uses. */
const PUBLISHED = ['nodes/**/*.ts', 'credentials/**/*.ts'];

/** The first table of the page lists them in this order: each may import only from those above it. */
const FOLDERS = [
	...readFileSync(new URL('docs/architecture.md', import.meta.url), 'utf8').matchAll(
		/^\| `(.+?)` +\|/gm,
	),
].map(([, folder]) => folder);
const filesOf = (folder) => {
	const hasInner = FOLDERS.some((other) => other.startsWith(`${folder}/`));
	return hasInner ? `${folder}/*` : `${folder}/**`;
};
const FORBIDDEN_IMPORTS = [
	...FOLDERS.slice(1).map((folder, index) => ({
		target: FOLDERS.slice(0, index + 1).map(filesOf),
		from: filesOf(folder),
		message: 'A folder imports only from those above it in docs/architecture.md',
	})),
	{
		target: 'nodes/Aquaculture/{messages,service}/**',
		from: 'node_modules/n8n-workflow/**',
		message: 'Messages and service do not know n8n',
	},
	{
		target: '**/!(siteSchema).ts',
		from: 'node_modules/zod/**',
		message: 'Only service/siteSchema.ts uses zod, which it configures',
	},
];

export default defineConfig(
	globalIgnores(['dist', 'coverage']),
	{
		files: ['**/*.ts'],
		extends: [
			js.configs.recommended,
			tseslint.configs.recommended,
			importPlugin.flatConfigs.recommended,
		],
		settings: {
			'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.js', '.json'] })],
		},
		rules: {
			'prefer-spread': 'off',
			'@typescript-eslint/consistent-type-imports': 'error',
			'import-x/no-cycle': 'error',
			'import-x/no-restricted-paths': ['error', { zones: FORBIDDEN_IMPORTS }],
		},
	},
	{
		files: PUBLISHED,
		extends: [communityNodes],
		plugins: { 'n8n-nodes-base': n8nNodesPlugin },
		rules: { 'no-console': 'error' },
	},
	{
		files: ['package.json'],
		extends: [communityNodes],
		plugins: { 'n8n-nodes-base': n8nNodesPlugin },
		rules: n8nNodesPlugin.configs.community.rules,
		languageOptions: {
			parser: tseslint.parser,
			parserOptions: { extraFileExtensions: ['.json'] },
		},
	},
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...n8nNodesPlugin.configs.credentials.rules,
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...n8nNodesPlugin.configs.nodes.rules,
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
		},
	},
	{
		files: ['emulator/**/*.ts', 'testbed/**/*.ts', 'scripts/**/*.ts', 'test/**/*.ts'],
		rules: {
			'@typescript-eslint/no-floating-promises': 'error',
			'@typescript-eslint/no-misused-promises': 'error',
		},
		languageOptions: { parserOptions: { projectService: true } },
	},
	{
		files: ['*.js'],
		extends: [js.configs.recommended],
		languageOptions: {
			sourceType: 'commonjs',
			globals: {
				require: 'readonly',
				module: 'writable',
				exports: 'writable',
				process: 'readonly',
				__dirname: 'readonly',
			},
		},
	},
);
