import '../../testbed/engine/n8nEnvironment';
import { Workflow, type IDataObject, type INode, type INodeTypes } from 'n8n-workflow';
import { SITES } from '../../emulator/sites';
import { siteRow } from '../../nodes/Aquaculture/output/rows';
import { step } from '../../testbed/workflows';
import { Page } from './pages';

const EXPRESSIONS = new Page('docs/recipes.md').codes.filter((code) => code.includes('{{'));
const NODE: INode = { ...step('Fields', 'set'), position: [0, 0] };
const CHANGE = { seenAt: '2026-03-02T07:15:04.120Z' };

const LICENCE = { change: 'licenseChanged', siteName: 'Storvågen', oldValue: 'A', newValue: 'B' };

const siteOf = (siteId: number) => SITES.find((site) => site.siteId === siteId) ?? {};

/** Evaluates the page's expression that contains this text for an item, like a node of n8n. */
function evaluate(part: string, item: object): unknown {
	const found = EXPRESSIONS.filter((code) => code.includes(part));
	expect(found).toHaveLength(1);
	const workflow = new Workflow({
		nodes: [NODE],
		connections: {},
		active: false,
		nodeTypes: { getByNameAndVersion: () => undefined } as unknown as INodeTypes,
		settings: { timezone: 'Asia/Tokyo' },
	});
	const items = [{ json: item as IDataObject }];
	return workflow.expression.getParameterValue(
		...([`=${found[0]}`, null, 0, 0, NODE.name, items, 'manual', {}] as const),
	);
}

it.each<[string, string, object, unknown]>([
	['a key of a unit', "'_' + $json.unitId", { siteId: 1001, unitId: 10010 }, '1001_10010'],
	[
		'other column names',
		'"Licence": $json.license',
		siteRow(siteOf(1001), 1001, { info: true, units: true }),
		{ Site: 'Storvågen', Code: 'STO', Licence: 'M-H-0101', 'Biomass limit': 3120, Units: 8 },
	],
	['a site name', 'siteName?.replace', { siteName: 'Lille Grønnvik' }, 'Lille Grønnvik'],
	['no formula', 'siteName?.replace', { siteName: '=HYPERLINK("a")' }, `'=HYPERLINK("a")`],
	['an alert in Norwegian', 'Ny tillatelse', LICENCE, 'Ny tillatelse for Storvågen: A → B'],
	[
		'an alert without a new value',
		'Ny tillatelse',
		{ ...LICENCE, change: 'infoChanged', newValue: null },
		'Endring for Storvågen: A → –',
	],
	['a call that all is well', '/fail', { summary: 'All is well: 1 site.' }, ''],
	['a call that not all is well', '/fail', { summary: 'Not all is well: 1 site.' }, '/fail'],
	['a call that sites were not read', '/fail', { summary: 'Not all sites were read.' }, '/fail'],
	['a call for a sample', '/fail', { summary: 'Sample: Not all is well.' }, ''],
	['a time in the zone of the workflow', ".seenAt).toFormat('", CHANGE, '2026-03-02 16:15'],
	['a time in another zone', ".setZone('", CHANGE, '2026-03-02 04:15'],
])('a recipe writes %s', (_what, part, item, value) => {
	expect(evaluate(part, item)).toEqual(value);
});
