import js from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import { defineConfig, globalIgnores } from 'eslint/config';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import importPlugin from 'eslint-plugin-import-x';
import n8nNodesPlugin from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

const communityNodes = n8nCommunityNodesPlugin.configs.recommended;
/** What is published: n8n's rules apply to it, with the settings that n8n's own tool uses. */
const PUBLISHED = ['nodes/**/*.ts', 'credentials/**/*.ts'];

export default defineConfig(
	globalIgnores(['dist', 'coverage']),
	{
		files: ['**/*.ts'],
		extends: [
			js.configs.recommended,
			tseslint.configs.recommended,
			importPlugin.flatConfigs.recommended,
		],
		settings: { 'import-x/resolver-next': [createTypeScriptImportResolver()] },
		rules: {
			'prefer-spread': 'off',
			'@typescript-eslint/consistent-type-imports': 'error',
			'import-x/no-cycle': 'error',
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
