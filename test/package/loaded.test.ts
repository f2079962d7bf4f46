import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PackageDirectoryLoader } from 'n8n-core';
import manifest from '../../package.json';
import { OUTPUTS } from '../outputs';
import type { Shape } from '../shape';

const ROOT = path.resolve(__dirname, '../..');
const DIST = path.join(ROOT, 'dist');

it('loading the nodes does not load the code that runs them', async () => {
	for (const file of [...manifest.n8n.credentials, ...manifest.n8n.nodes]) {
		const source = file.replace(/^dist\/(.*)\.js$/, '$1');
		await import(path.join(ROOT, source));
	}

	const loaded = Object.keys(require.cache)
		.map((file) => path.relative(ROOT, file))
		.filter((file) => file.startsWith('nodes/'));
	expect(loaded).toContain('nodes/Aquaculture/operations/getSites.ts');
	const running = /\/service\/siteSchema|\/sending\/credentialHooks|\/(execute|poll|client)\.ts$/;
	expect(loaded.filter((file) => running.test(file))).toEqual([]);
});

it('the trigger has one field for poll times, also after n8n reloads its types', async () => {
	const loader = new PackageDirectoryLoader(ROOT);
	await loader.loadAll();
	// n8n 2.40 does this after its start, and when it installs another package.
	loader.releaseTypes();
	await loader.ensureTypesLoaded();

	const trigger = loader.types.nodes.find(({ name }) => name === 'aquacultureTrigger');
	const names = trigger?.properties.map(({ name }) => name) ?? [];
	expect(names.filter((name) => name === 'pollTimes')).toHaveLength(1);
	expect(new Set(names).size).toBe(names.length);
});

it.each([
	['v1.0.0/site/getSite', 'Get Site, Get Many Sites: Simplify off'],
	['v1.0.0/site/getManySites', 'Get Site, Get Many Sites: Simplify on'],
	['v1.0.0/unit/getUnits', 'Get Units'],
	['v1.0.0', 'Aquaculture Trigger'],
] as const)('the output schema %s has the columns of the output', (file, output) => {
	const { type, version, ...schema } = schemaIn(file);

	expect([type, version]).toEqual(['object', 1]);
	expect(columnsOf(shapeIn(schema))).toEqual(columnsOf(OUTPUTS[output]));
});

interface Schema {
	type?: string;
	version?: number;
	properties?: Record<string, Schema>;
	items?: Schema;
}

function shapeIn({ type = '', properties, items }: Schema): Shape {
	if (items) return [shapeIn(items)];
	if (!properties) return type === 'integer' ? 'number' : type;
	return Object.fromEntries(
		Object.entries(properties).map(([name, schema]) => [name, shapeIn(schema)]),
	);
}

/** Lists the columns in order. A schema has one type for each: string if there are several. */
function columnsOf(shape: Shape): unknown {
	if (Array.isArray(shape)) return shape.map(columnsOf);
	if (typeof shape === 'object') {
		return Object.entries(shape).map(([column, inner]) => [column, columnsOf(inner)]);
	}
	const types = shape.replace(' | null', '').split(' | ');
	return types.length === 1 ? types[0] : 'string';
}

function schemaIn(file: string): Schema {
	const schema = path.join(DIST, 'nodes/Aquaculture/__schema__', `${file}.json`);
	return JSON.parse(readFileSync(schema, 'utf8')) as Schema;
}
