import { Workflow, type IDataObject, type INodeTypes } from 'n8n-workflow';
import { ActiveTrigger } from '../../testbed/engine/activeTrigger';
import { shareRig, type Rig } from '../../testbed/engine/rig';
import { PAGES, plainText } from './pages';

const page = PAGES.find(({ file }) => file === 'docs/recipes.md');

/** Code of the page that holds an expression. One that names another step is run in n8n. */
const expressions = [...new Set(page?.codes)].filter(
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

describe('docs/recipes.md', () => {
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

	it.each([
		['Column of a site', readSite],
		['Column of a unit', readUnit],
	])('%s: the table has all columns in their order', async (heading, read) => {
		const listed = page
			?.tablesOf(heading)
			.flatMap(({ rows }) => rows.map(([cell]) => plainText(cell ?? {})));

		expect(listed).toEqual(Object.keys(await read()));
	});

	it('names the unique columns and the fields that it uses as they are', async () => {
		const row = { ...(await readSite()), ...(await readUnit()), ...(await readChange()) };
		const names = page?.codes.filter((code) =>
			/^(?:site|unit|max|seen|field|old|new)[A-Z]\w+$|^(?:license|summary)$/.test(code),
		);

		expect(names?.filter((name) => !Object.hasOwn(row, name))).toEqual([]);
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
		const row = { ...(await readSite()), info, units, seenAt, ...texts };

		const value = resolve(expression, row);
		const text = typeof value === 'string' ? value : JSON.stringify(value);
		expect(text).not.toMatch(/^$|undefined|null|\{\{|\[object/);
	});
});
