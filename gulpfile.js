const { rm, mkdir, writeFile } = require('node:fs/promises');
const path = require('node:path');
const esbuild = require('esbuild');
const { dest, parallel, series, src } = require('gulp');
const { n8n, engines } = require('./package.json');
const { noticeOf } = require('./scripts/notice.ts');

const NODE_DIRECTORY = 'nodes/Aquaculture';
/** The node's version, padded to three parts: n8n looks the schemas up by it. */
const SCHEMA_VERSION = 'v1.0.0';

const clean = async () => await rm('dist', { recursive: true, force: true });

const BUNDLE = 'dist/bundle.js';

/**
 * One file with everything but n8n-workflow, which n8n provides: n8n reads it once, at its start, and what is imported
 * later is in it too, but runs only then. Also writes the licences of what it contains (dist/NOTICE).
 *
 * n8n knows a class by the name of its file, so each node and credential has a file, which takes it from the bundle.
 */
const bundle = async () => {
	const files = [...n8n.credentials, ...n8n.nodes];
	const sources = files.map((file) => file.replace('dist', '.').replace(/\.js$/, ''));
	const { metafile } = await esbuild.build({
		stdin: {
			contents: sources.map((source) => `export * from '${source}';`).join('\n'),
			resolveDir: __dirname,
		},
		outfile: BUNDLE,
		bundle: true,
		platform: 'node',
		target: `node${engines.node.match(/\d+/)[0]}`,
		external: ['n8n-workflow'],
		// The bundle names the files that it is made of: by the places that they are imported from, wherever that leads.
		preserveSymlinks: true,
		logLevel: 'warning',
		metafile: true,
	});
	for (const file of files) {
		const place = path.posix.relative(path.posix.dirname(file), BUNDLE);
		await mkdir(path.dirname(file), { recursive: true });
		const [name] = path.basename(file).split('.');
		await writeFile(file, `exports.${name} = require('${place}').${name};\n`);
	}
	await writeFile('dist/NOTICE', noticeOf(metafile));
};

const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));

const codex = () => src('nodes/**/*.node.json', { base: '.' }).pipe(dest('dist'));

/** Writes the output schemas of operations and trigger, by which the editor offers the fields before the first run. */
const schemas = async () => {
	const { object, toJSONSchema } = require('zod/v4-mini');
	const { operations } = require('./nodes/Aquaculture/operations/index.ts');
	const { OUTPUT_FIELDS } = require('./nodes/Aquaculture/trigger/changeItem.ts');
	const write = async (file, fields) => {
		const content = JSON.stringify({ ...fields, version: 1 }, null, '\t');
		await writeFile(file, `${content}\n`);
	};

	const directory = path.join('dist', NODE_DIRECTORY, '__schema__', SCHEMA_VERSION);
	await mkdir(directory, { recursive: true });
	for (const [operation, { contract, outputFields }] of Object.entries(operations)) {
		const schema = object(outputFields(await contract()));
		const fields = editorSchema(toJSONSchema(schema, { unrepresentable: 'any' }));
		await write(path.join(directory, `${operation}.json`), fields);
	}
	const columns = Object.entries(OUTPUT_FIELDS).map(([name, type]) => [name, { type }]);
	await write(`${directory}.json`, { type: 'object', properties: Object.fromEntries(columns) });
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
