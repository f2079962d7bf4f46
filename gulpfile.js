const { rm, mkdir, writeFile } = require('node:fs/promises');
const path = require('node:path');
require('tsx/cjs');
const esbuild = require('esbuild');
const { dest, parallel, series, src } = require('gulp');
const { n8n, engines } = require('./package.json');
const { noticeOf } = require('./scripts/notice.ts');

const NODE_DIRECTORY = 'nodes/Aquaculture';
/** The node's version, padded to three parts: n8n looks the schemas up by it. */
const SCHEMA_VERSION = 'v1.0.0';

const clean = async () => await rm('dist', { recursive: true, force: true });

/**
 * One file for each node and credential, and for what they share, which is loaded once; everything is inside but
 * n8n-workflow, which n8n provides. And the licences of that.
 */
const bundle = async () => {
	const common = {
		outdir: 'dist',
		platform: 'node',
		target: `node${engines.node.match(/\d+/)[0]}`,
	};
	const { metafile } = await esbuild.build({
		...common,
		entryPoints: [...n8n.credentials, ...n8n.nodes].map((file) =>
			file.replace(/^dist\//, '').replace(/\.js$/, '.ts'),
		),
		outbase: '.',
		bundle: true,
		// esbuild splits nothing but modules of the newer form, so the older one that n8n loads is made of those.
		format: 'esm',
		splitting: true,
		chunkNames: 'shared/[hash]',
		external: ['n8n-workflow'],
		// The hashes are made of the files' places, too: those that they are imported from, wherever that leads.
		preserveSymlinks: true,
		logLevel: 'warning',
		metafile: true,
	});
	const entryPoints = Object.keys(metafile.outputs);
	await esbuild.build({
		...common,
		entryPoints,
		outbase: 'dist',
		format: 'cjs',
		allowOverwrite: true,
	});
	await writeFile('dist/NOTICE', noticeOf(metafile));
};

const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));

const codex = () => src('nodes/**/*.node.json', { base: '.' }).pipe(dest('dist'));

/** Writes the output schema of each operation, by which the editor offers the fields before the first run. */
const schemas = async () => {
	const { toJSONSchema } = require('zod/v4');
	const { operations } = require(`./${NODE_DIRECTORY}/actions/index.ts`);

	const directory = path.join('dist', NODE_DIRECTORY, '__schema__', SCHEMA_VERSION);
	await mkdir(directory, { recursive: true });
	for (const [operation, { outputSchema }] of Object.entries(operations)) {
		const fields = editorSchema(toJSONSchema(outputSchema, { unrepresentable: 'any' }));
		const content = JSON.stringify({ ...fields, version: 1 }, null, '\t');
		await writeFile(path.join(directory, `${operation}.json`), `${content}\n`);
	}
};

/** Reduces a JSON schema to what the editor reads: types, properties and items. */
function editorSchema({ anyOf, type, properties, items }) {
	const present = anyOf?.find((option) => option.type !== 'null');
	if (present) return editorSchema(present);
	return {
		type,
		...(properties && {
			properties: Object.fromEntries(
				Object.entries(properties).map(([name, schema]) => [name, editorSchema(schema)]),
			),
		}),
		...(items && { items: editorSchema(items) }),
	};
}

exports.clean = clean;
exports.build = series(clean, parallel(bundle, icons, codex, schemas));
exports.default = exports.build;
