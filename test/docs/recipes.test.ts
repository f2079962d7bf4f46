import { Workflow, type IDataObject, type INodeTypes } from 'n8n-workflow';
import { ActiveTrigger } from '../../testbed/engine/activeTrigger';
import { shareRig, type Rig } from '../../testbed/engine/rig';
import { PAGES } from './pages';

const RECIPES = ['docs/recipes.md', 'docs/open-data.md'];
const codes = PAGES.filter(({ file }) => RECIPES.includes(file)).flatMap((page) => page.codes);

/** Code of the pages that holds an expression. One that names another step is run in n8n. */
const expressions = [...new Set(codes)].filter(
	(code) => code.includes('{{') && !code.includes("$('"),
);

/** The value of an expression for an item, as n8n resolves it. */
function resolve(expression: string, json: IDataObject): unknown {
	const node = { id: '1', name: 'Node', type: 'test', typeVersion: 1, position: [0, 0] as [0, 0] };
	const workflow = new Workflow({
		nodes: [{ ...node, parameters: {} }],
		connections: {},
		active: false,
		nodeTypes: {
			getByNameAndVersion: () => ({ description: { properties: [] } }),
		} as unknown as INodeTypes,
	});
	return workflow.expression.getParameterValue(
		`=${expression}`,
		null,
		0,
		0,
		node.name,
		[{ json }],
		'manual',
		{},
	);
}

describe('the recipes', () => {
	let rig: Rig;
	shareRig((started) => {
		rig = started;
	});

	const firstItemOf = async (parameters: IDataObject) =>
		(await rig.run(parameters)).items[0]?.json ?? {};
	const readSite = async () =>
		await firstItemOf({ operation: 'getManySites', siteIds: '1001', simplify: true });
	const readUnit = async () =>
		await firstItemOf({ operation: 'getUnits', siteIds: '1001', includeSiteInfo: true });

	it('name the unique columns and the fields that they use as they are', async () => {
		const row = { ...(await readSite()), ...(await readUnit()), ...(await readChange()) };
		const names = codes.filter((code) =>
			/^(?:site|unit|max|seen|field|old|new)[A-Z]\w+$|^(?:license|summary)$/.test(code),
		);

		expect(names.filter((name) => !Object.hasOwn(row, name))).toEqual([]);
	});

	const readChange = async () => {
		const trigger = new ActiveTrigger(rig, { siteIds: '1001' });
		await trigger.activate();
		rig.emulator.changeSite(1001, (site) => ({ ...site, siteName: `${site.siteName} 2` }));
		const { items } = await trigger.poll();
		return items?.[0] ?? {};
	};

	it.each(expressions)('%s has a value for each item', async (expression) => {
		const { summary, seenAt } = await readChange();
		const { info, units } = await firstItemOf({ siteId: '1001' });
		const texts = { error: 'Failed', site: 'Storvågen', summary: [summary] };
		const forecast = { sea: [{ sea_surface_wave_height: 2.5 }], highestWave: 2.5 };
		const data = [{ siteName: 'Storvågen', highestWave: 2.5 }];
		const answer = { statusCode: 200, body: { name: 'STORVÅGEN' }, ...forecast, data };
		const row = { ...(await readSite()), info, units, seenAt, ...texts, ...answer };

		const value = resolve(expression, row);
		const text = typeof value === 'string' ? value : JSON.stringify(value);
		expect(text).not.toMatch(/^$|undefined|null|\{\{|\[object/);
	});
});
