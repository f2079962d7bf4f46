import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PackageDirectoryLoader } from 'n8n-core';
import { Engine } from '../../testbed/engine/engine';
import outputs from '../outputs.json';
import type { Shape } from '../shape';

const DIST = path.resolve(__dirname, '../../dist');

let engine: Engine;

beforeAll(async () => {
	engine = await Engine.load();
});

it('the package has light and dark icons', () => {
	const urls = [
		engine.nodeType.description.iconUrl,
		engine.triggerType.description.iconUrl,
		engine.credentialType.iconUrl,
	];

	for (const url of urls) {
		expect(url).toEqual({
			light: 'icons/n8n-nodes-aquaculture/dist/icons/aquaculture.svg',
			dark: 'icons/n8n-nodes-aquaculture/dist/icons/aquaculture.dark.svg',
		});
	}
	for (const icon of ['aquaculture.svg', 'aquaculture.dark.svg']) {
		expect(readFileSync(path.join(DIST, 'icons', icon), 'utf8')).toMatch(/^<svg/);
	}
});

it.each(['nodeType', 'triggerType'] as const)(
	"%s has categories, aliases and links for n8n's search",
	(type) => {
		const { codex } = engine[type].description;
		// People read these words, too: no odd capitals for the sake of n8n's search.
		expect(codex?.alias?.filter((word) => !/^[a-z]+( [a-z]+)*$/.test(word))).toEqual([]);
		expect(codex).toMatchObject({
			categories: expect.arrayContaining(['Data & Storage']) as unknown,
			alias: expect.arrayContaining(['fish', 'site']) as unknown,
			resources: {
				primaryDocumentation: [{ url: expect.stringMatching(/^https:/) as unknown }],
				credentialDocumentation: [{ url: expect.stringMatching(/#credentials$/) as unknown }],
			},
		});
	},
);

it('the trigger has one field for poll times, also after n8n reloads its types', async () => {
	const loader = new PackageDirectoryLoader(path.dirname(DIST));
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
	expect(columnsOf(shapeIn(schema))).toEqual(columnsOf(outputs[output]));
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
