import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PackageDirectoryLoader } from 'n8n-core';
import { Engine } from '../../testbed/engine/engine';

const DIST = path.resolve(__dirname, '../../dist');

describe('the package as n8n loads it', () => {
	let engine: Engine;

	beforeAll(async () => {
		engine = await Engine.load();
	});

	it('shows light and dark icons that exist', () => {
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
		'%s is found by the words that people type',
		(type) => {
			expect(engine[type].description.codex).toMatchObject({
				categories: expect.arrayContaining(['Data & Storage']) as unknown,
				alias: expect.arrayContaining(['fish', 'site']) as unknown,
				resources: {
					primaryDocumentation: [{ url: expect.stringMatching(/^https:/) as unknown }],
					credentialDocumentation: [{ url: expect.stringMatching(/#credentials$/) as unknown }],
				},
			});
		},
	);

	it('asks once when to poll, also after n8n has loaded its types again', async () => {
		const loader = new PackageDirectoryLoader(path.dirname(DIST));
		await loader.loadAll();
		// As n8n 2.40 does after its start, and when another package is installed.
		loader.releaseTypes();
		await loader.ensureTypesLoaded();

		const trigger = loader.types.nodes.find(({ name }) => name === 'aquacultureTrigger');
		const names = trigger?.properties.map(({ name }) => name) ?? [];
		expect(names.filter((name) => name === 'pollTimes')).toHaveLength(1);
		expect(new Set(names).size).toBe(names.length);
	});

	const position = { longitude: { type: 'number' }, latitude: { type: 'number' } };
	const [text, number, integer] = [{ type: 'string' }, { type: 'number' }, { type: 'integer' }];
	const unit = { unitId: integer, unitName: text, ...position };
	const info = {
		...position,
		type: text,
		code: text,
		license: text,
		maxTotalBiomass: number,
		timezone: text,
	};

	it.each([
		['unit', 'v1.0.0/getUnits', { siteId: integer, siteName: text, ...unit }],
		[
			'site',
			'v1.0.0/getSite',
			{
				siteId: integer,
				siteName: text,
				info: { type: 'object', properties: info },
				units: { type: 'array', items: { type: 'object', properties: unit } },
			},
		],
	])('offers the fields of a %s before the first run', (_what, file, properties) => {
		expect(schemaIn(file)).toEqual({ type: 'object', version: 1, properties });
	});

	it('offers the fields of a change before the first run, in the order of the items', () => {
		const texts = [
			'summary',
			'siteName',
			'unitName',
			'fieldName',
			'oldValue',
			'newValue',
			'seenAt',
		];
		expect(Object.entries(schemaIn('v1.0.0').properties)).toEqual([
			...texts.map((name) => [name, { type: 'string' }]),
			...['siteId', 'unitId'].map((name) => [name, { type: 'number' }]),
			...['change', 'field'].map((name) => [name, { type: 'string' }]),
		]);
	});
});

function schemaIn(file: string): { properties: object } {
	const schema = path.join(DIST, 'nodes/Aquaculture/__schema__', `${file}.json`);
	return JSON.parse(readFileSync(schema, 'utf8')) as { properties: object };
}
