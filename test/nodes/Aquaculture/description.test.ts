import { NodeHelpers, type INodeProperties, type INodePropertyOptions } from 'n8n-workflow';
import { nodeProperties } from '../../../nodes/Aquaculture/operations/allOperations';
import { Aquaculture } from '../../../nodes/Aquaculture/Aquaculture.node';
import { AquacultureTrigger } from '../../../nodes/Aquaculture/AquacultureTrigger.node';
import { omitTexts } from '../../omitTexts';

const { description } = new Aquaculture();
const trigger = new AquacultureTrigger().description;
const choices = nodeProperties.filter(({ name }) => name === 'operation');
const operations = choices.flatMap(({ options }) => options as INodePropertyOptions[]);
const fieldsIn = ({ options = [] }: INodeProperties) => options as INodeProperties[];

it.each(operations)('the texts of $name fit', ({ action, description: text }) => {
	expect(action).toMatch(/^Get (a site|many sites|units)/);
	// n8n derives the name of a tool from this, which some models limit to 64 characters.
	expect(`${action} in ${description.displayName}`.length).toBeLessThan(64);
	// The list of actions has two lines for it.
	expect(text).toMatch(/^Read [^:;]{10,70}[^.]$/);
});

/** Words that are vague, or unfamiliar to staff of a fish farm. */
const JARGON = /\b(?:error|problem|mistake|please|invalid|API|JSON|payload)\b/i;

it('panel texts have no jargon, and text fields have an example', () => {
	const all = [...nodeProperties, ...trigger.properties].flatMap((property) =>
		property.type === 'collection' ? [property, ...fieldsIn(property)] : [property],
	);
	const texts = all.map(({ displayName, description: text }) => `${displayName}: ${text}`);
	expect(texts.filter((text) => JARGON.test(text))).toEqual([]);
	const fields = all.filter(({ type }) => type === 'string');
	const bare = fields.filter(({ placeholder }) => !placeholder?.startsWith('e.g. '));
	expect(bare.map(({ displayName }) => displayName)).toEqual([]);
});

it('names, types and credential of node and trigger stay compatible with stored workflows', () => {
	const both = {
		icon: {
			light: 'file:../../icons/aquaculture.svg',
			dark: 'file:../../icons/aquaculture.dark.svg',
		},
		version: 1,
		builderHint: expect.anything() as unknown,
		outputs: ['main'],
		properties: [],
		credentials: [{ name: 'aquacultureApi', required: true, testedBy: 'testAccount' }],
	};

	expect(omitTexts({ ...description, properties: [] })).toEqual({
		...both,
		name: 'aquaculture',
		group: ['input'],
		subtitle: expect.stringMatching(/^={{ \$parameter\.operation\./) as unknown,
		defaults: { name: 'Aquaculture' },
		inputs: ['main'],
		usableAsTool: true,
	});
	expect(omitTexts({ ...trigger, properties: [] })).toEqual({
		...both,
		name: 'aquacultureTrigger',
		group: ['trigger'],
		subtitle: expect.stringMatching(/^={{ /) as unknown,
		defaults: { name: 'Aquaculture Trigger' },
		inputs: [],
		polling: true,
	});
});

it.each([
	['aquaculture', 'list'],
	['aquacultureTool', 'id'],
])('a new %s takes its site by the mode %s', (name, mode) => {
	const type = { ...description, name };

	const parameters = NodeHelpers.getNodeParameters(nodeProperties, {}, true, false, null, type);

	expect(parameters).toMatchObject({ operation: 'getSite', siteId: { mode, value: '' } });
});

/** Summarises what stored workflows depend on. */
function linesOf(fields: readonly INodeProperties[]): string[] {
	return fields.flatMap((property) => {
		const { name, type, default: fallback, required, noDataExpression, typeOptions } = property;
		const choices = property.modes ?? (type === 'collection' ? [] : fieldsIn(property));
		const more = {
			...(choices.length > 0 && {
				of: choices.map((each) => ('value' in each ? each.value : each.name)),
			}),
			...(required && { required }),
			...(noDataExpression && { noDataExpression }),
			...typeOptions,
			...property.displayOptions?.show,
			...property.displayOptions?.hide,
			operation: undefined,
		};
		const line = `${name}: ${type} ${JSON.stringify(fallback)} ${JSON.stringify(more)}`;
		return [
			line.replace(/ {}$/, ''),
			...(type === 'collection' ? linesOf(fieldsIn(property)) : []),
		];
	});
}

const SITES = 'sites: options "all" {"of":["all","byId","fromList"],"noDataExpression":true';
const CHOSEN = [
	'siteIds: string "" {"required":true,"rows":3,"sites":["byId"]}',
	'chosenSites: multiOptions [] {"required":true,"loadOptionsMethod":"listKnownSites","sites":["fromList"]}',
];
const SEVERAL = [`${SITES}}`, ...CHOSEN];
const LIMIT = 'limit: number 50 {"minValue":1,"maxValue":100000,"/sites":["all"]}';
const SITE = [
	'siteId: resourceLocator {"mode":"list","value":""} {"of":["list","id","name"],"required":true,"@tool":[false]}',
	'siteId: resourceLocator {"mode":"id","value":""} {"of":["list","id","name"],"required":true,"@tool":[true]}',
];
const PARTS = ['includeInfo: boolean true', 'includeUnits: boolean true'];
const OPTIONS = 'options: collection {}';
const INCLUDES = 'additionalIncludes: string "" {"/simplify":[true]}';
const SHARED = ['ignoreMissing: boolean true {"noDataExpression":true}'];
const DETAILS = 'includeResponseDetails: boolean true {"/simplify":[true]}';
const LIMITS = [
	'maxWait: number 60 {"noDataExpression":true,"minValue":0,"maxValue":1440}',
	'timeout: number 30 {"noDataExpression":true,"minValue":1,"maxValue":3600}',
];

it('resources and operations stay compatible with stored workflows', () => {
	const choosing = nodeProperties.filter(({ name }) => ['resource', 'operation'].includes(name));

	expect(linesOf(choosing)).toEqual([
		'resource: options "site" {"of":["site","unit"],"noDataExpression":true}',
		'operation: options "getSite" {"of":["getManySites","getSite"],"noDataExpression":true,"resource":["site"]}',
		'operation: options "getUnits" {"of":["getUnits"],"noDataExpression":true,"resource":["unit"]}',
	]);
	expect(nodeProperties[0]?.name).toBe('resource');
});

it.each<[string, string[]]>([
	[
		'getManySites',
		[
			...[...SEVERAL, ...PARTS, 'simplify: boolean true', OPTIONS],
			...[INCLUDES, ...SHARED, DETAILS, LIMIT, ...LIMITS],
		],
	],
	[
		'getSite',
		[
			...[...SITE, ...PARTS, 'simplify: boolean false', OPTIONS, INCLUDES, ...SHARED],
			...['includeInputFields: boolean true', DETAILS, ...LIMITS],
		],
	],
	[
		'getUnits',
		[...SEVERAL, 'includeSiteInfo: boolean false', OPTIONS, ...SHARED, LIMIT, ...LIMITS],
	],
])('the fields of %s stay compatible with stored workflows', (name, lines) => {
	const isOwn = ({ displayOptions }: INodeProperties) =>
		displayOptions?.show?.operation?.includes(name) === true;

	expect(linesOf(nodeProperties.filter(isOwn))).toEqual(lines);
});

it('the fields of the trigger stay compatible with stored workflows', () => {
	const changes = [
		...['any', 'biomassLimitChanged', 'licenseChanged', 'infoChanged', 'siteRenamed'],
		...['unitAdded', 'unitMoved', 'unitRemoved', 'unitRenamed'],
	];

	expect(linesOf(trigger.properties)).toEqual([
		...[`${SITES}}`, ...CHOSEN],
		`changes: multiOptions ["any"] ${JSON.stringify({ of: changes, required: true })}`,
		'statusReport: options "off" {"of":["off","daily","weekly"],"noDataExpression":true}',
		OPTIONS,
		'timeout: number 10 {"noDataExpression":true,"minValue":1,"maxValue":216}',
	]);
});
