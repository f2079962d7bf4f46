import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { findOperation, properties } from '../../../nodes/Aquaculture/operations';
import { Aquaculture } from '../../../nodes/Aquaculture/Aquaculture.node';
import { AquacultureTrigger } from '../../../nodes/Aquaculture/AquacultureTrigger.node';
import { JARGON } from '../../jargon';
import { withoutTexts } from '../../withoutTexts';

interface Expected {
	name: string;
	displayOptions?: { show?: object };
}

const { description } = new Aquaculture();
const trigger = new AquacultureTrigger().description;
const [resource, operation] = properties;
const operations = operation?.options as INodePropertyOptions[];

it('the operations are those that were decided, of a resource that is not shown', () => {
	expect(resource).toMatchObject({ name: 'resource', type: 'hidden', default: 'site' });
	expect(operation).toMatchObject({
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		default: 'getSite',
		options: [
			{ value: 'getManySites', name: 'Get Many Sites' },
			{ value: 'getSite', name: 'Get Site' },
			{ value: 'getUnits', name: 'Get Units' },
		],
	});
});

it.each(['__proto__', 'constructor', 'hasOwnProperty', '', ['getSite'], undefined, null, 7])(
	'the operations do not include %p',
	(name) => {
		expect(findOperation(name)).toBeUndefined();
	},
);

it.each(operations)(
	'the operation $name has the texts that n8n asks for',
	({ action, description: text }) => {
		expect(action).toMatch(/^Get (a|many) sites?$|^Get units$/);
		// n8n makes the name of a tool of it, which some models take up to 64 characters of.
		expect(`${action} in ${description.displayName}`.length).toBeLessThan(64);
		// Two lines in the list of actions.
		expect(text).toMatch(/^Read [^:;]{10,70}[^.]$/);
	},
);

describe('the texts of the panels', () => {
	const optionsOf = ({ options = [] }: INodeProperties) => options as INodeProperties[];
	const all = [...properties, ...trigger.properties].flatMap((property) =>
		property.type === 'collection' ? [property, ...optionsOf(property)] : [property],
	);

	const fields = all.filter(({ type }) => type !== 'notice');
	it.each(fields.map((property) => [property.displayName, property] as const))(
		'the field %s has a label and a description as n8n asks for them',
		(label, property) => {
			const { type, description: text = '', placeholder } = property;
			const choices = type.endsWith('ptions') ? optionsOf(property).map(({ name }) => name) : [];
			for (const name of [label, ...choices]) {
				expect(name).toMatch(
					/^([A-Z]\w*)( ([A-Z]\w*|at|on|or|per|with))*( \((Minutes|Seconds)\))?$/,
				);
			}
			if (type === 'boolean') expect(text).toMatch(/^Whether /);
			if (type === 'string') expect(placeholder).toMatch(/^e\.g\. /);
			expect(text).not.toMatch(JARGON);
		},
	);
});

const KIND = {
	icon: {
		light: 'file:../../icons/aquaculture.svg',
		dark: 'file:../../icons/aquaculture.dark.svg',
	},
	version: 1,
	builderHint: expect.anything() as unknown,
	outputs: ['main'],
	properties: [],
	credentials: [{ name: 'aquacultureApi', required: true }],
};

it('the node can be used as a tool, and needs the credential', () => {
	expect(withoutTexts({ ...description, properties: [] })).toEqual({
		...KIND,
		name: 'aquaculture',
		group: ['input'],
		subtitle: expect.stringMatching(/^={{ \$parameter\.operation\./) as unknown,
		defaults: { name: 'Aquaculture' },
		inputs: ['main'],
		usableAsTool: true,
	});
});

it('the trigger polls, and needs the credential', () => {
	expect(withoutTexts({ ...trigger, properties: [] })).toEqual({
		...KIND,
		name: 'aquacultureTrigger',
		group: ['trigger'],
		subtitle: expect.stringMatching(/^={{ /) as unknown,
		defaults: { name: 'Aquaculture Trigger' },
		inputs: [],
		polling: true,
	});
});

describe('what stored workflows depend on', () => {
	const text = { type: 'string', default: '' };
	const on = { type: 'boolean', default: true };
	const off = { type: 'boolean', default: false };
	const forAll = { noDataExpression: true };
	const shownFor = (choice: string) => ({ displayOptions: { show: { sites: [choice] } } });
	const choices = (...values: string[]) =>
		values.map((value): unknown => expect.objectContaining({ value }));
	const isTool = (value: boolean) => ({ displayOptions: { show: { '@tool': [value] } } });
	const choice = {
		name: 'sites',
		type: 'options',
		default: 'all',
		options: choices('all', 'byId', 'fromList'),
		...forAll,
		builderHint: expect.anything() as unknown,
	};
	const choiceOfTool = { ...choice, default: 'byId', ...isTool(true) };
	const chosen = [
		{ name: 'siteIds', ...text, required: true, typeOptions: { rows: 3 }, ...shownFor('byId') },
		{
			name: 'chosenSites',
			type: 'multiOptions',
			default: [],
			required: true,
			typeOptions: { loadOptionsMethod: 'listKnownSites' },
			...shownFor('fromList'),
		},
	];
	const limitField = {
		name: 'limit',
		type: 'number',
		default: 50,
		typeOptions: { minValue: 1, maxValue: 100_000 },
		displayOptions: { show: { sites: ['all'], returnAll: [false] } },
	};
	const limited = [{ name: 'returnAll', ...on, ...shownFor('all') }, limitField];
	const searchable = { searchListMethod: 'searchKnownSites', searchable: true };
	const site = {
		name: 'siteId',
		type: 'resourceLocator',
		required: true,
		default: { mode: 'list', value: '' },
		modes: [
			{ name: 'list', type: 'list', typeOptions: searchable },
			{ name: 'id', type: 'string' },
			{ name: 'name', type: 'string' },
		],
	};

	const siteOfTool = { ...site, default: { mode: 'id', value: '' }, ...isTool(true) };
	const sites = [{ ...choice, ...isTool(false) }, choiceOfTool, ...chosen];

	/** A number that is the same for all items. */
	const number = (name: string, value: number, minValue: number, maxValue: number) => ({
		name,
		type: 'number',
		default: value,
		typeOptions: { minValue, maxValue },
		...forAll,
	});
	const notSimplified = { displayOptions: { hide: { '/simplify': [true] } } };
	const additionalIncludes = { name: 'additionalIncludes', ...text, ...notSimplified };
	const dataVersion = { name: 'dataVersion', ...text };
	const ignoreMissing = { name: 'ignoreMissing', ...on, ...forAll };
	const includeInputFields = { name: 'includeInputFields', ...on };
	const includeResponseDetails = { name: 'includeResponseDetails', ...on, ...notSimplified };
	/** In the order in which the panel offers them. */
	const options = (...offeredOptions: object[]) => ({
		name: 'options',
		type: 'collection',
		default: {},
		options: offeredOptions,
	});
	const limits = [number('maxWait', 60, 0, 1440), number('timeout', 30, 1, 3600)];
	const wholeSites = (simplify: object, ...own: object[]): Expected[] => [
		{ name: 'includeInfo', ...on },
		{ name: 'includeUnits', ...on },
		{ name: 'simplify', ...simplify },
		options(
			additionalIncludes,
			dataVersion,
			ignoreMissing,
			...own,
			includeResponseDetails,
			...limits,
		),
	];
	const unitOptions = options(dataVersion, ignoreMissing, ...limits);

	it.each([
		['getManySites', [...sites, ...limited, ...wholeSites(on)]],
		[
			'getSite',
			[{ ...site, ...isTool(false) }, siteOfTool, ...wholeSites(off, includeInputFields)],
		],
		['getUnits', [...sites, ...limited, { name: 'includeSiteInfo', ...off }, unitOptions]],
	])('stored workflows depend on the fields of %s', (name, fields) => {
		const own = properties.filter(({ displayOptions }) =>
			displayOptions?.show?.operation?.includes(name),
		);

		expect(withoutTexts(own)).toEqual(
			fields.map((field: Expected) => ({
				...field,
				displayOptions: { show: { operation: [name], ...field.displayOptions?.show } },
			})),
		);
	});

	it('stored workflows depend on the fields of the trigger', () => {
		expect(withoutTexts(trigger.properties)).toEqual([
			choice,
			...chosen,
			{
				name: 'changes',
				type: 'multiOptions',
				required: true,
				default: ['any'],
				options: choices(
					...['any', 'biomassLimitChanged', 'licenceChanged', 'siteChanged', 'unitChanged'],
					...['infoChanged', 'siteRenamed'],
					...['unitAdded', 'unitMoved', 'unitRemoved', 'unitRenamed'],
				),
			},
			{ name: 'emitCurrentState', ...off },
			options(additionalIncludes, dataVersion, ignoreMissing, number('timeout', 10, 1, 216)),
		]);
	});
});
