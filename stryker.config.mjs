import { PluginKind, declareValuePlugin } from '@stryker-mutator/api/plugin';

/** Properties with texts for the eye alone: n8n shows them beside a field, and nothing depends on them. */
const SHOWN = ['displayName', 'description', 'placeholder', 'hint', 'action'];

const nameOf = ({ key }) => key?.name;

/** Leaves out the texts of the interface; a description beside a `message` is that of an error, and counts. */
const interfaceTexts = declareValuePlugin(PluginKind.Ignore, 'interface-texts', {
	shouldIgnore({ node, parent, parentPath }) {
		if (!/^(?:String|Template)Literal$/.test(node.type)) return undefined;
		if (!SHOWN.includes(nameOf(parent ?? {}))) return undefined;
		const siblings = parentPath?.parent?.properties ?? [];
		return siblings.some((sibling) => nameOf(sibling) === 'message')
			? undefined
			: 'a text of the interface';
	},
});

export const strykerPlugins = [interfaceTexts];

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: ['{api,credentials,nodes}/**/*.ts'],
	plugins: ['@stryker-mutator/jest-runner', import.meta.url],
	ignorers: ['interface-texts'],
	ignoreStatic: true,
	testRunner: 'jest',
	jest: { configFile: 'test/mutation/jest.config.js', enableFindRelatedTests: false },
	coverageAnalysis: 'perTest',
	concurrency: 1,
	// What is left of each run adds up.
	maxTestRunnerReuse: 200,
	dryRunTimeoutMinutes: 20,
	timeoutMS: 20_000,
	ignorePatterns: [
		'docs',
		'.ci',
		'.scratch',
		'coverage',
		'test/n8n',
		'test/docs',
		'test/package',
		'test/mutation/record.json',
	],
	incremental: true,
	incrementalFile: 'reports/mutation/incremental.json',
	reporters: ['clear-text', 'progress-append-only', 'json', 'html'],
	clearTextReporter: { allowColor: false, reportTests: false, reportMutants: true },
	htmlReporter: { fileName: 'reports/mutation/mutation.html' },
	jsonReporter: { fileName: 'reports/mutation/mutation.json' },
};
