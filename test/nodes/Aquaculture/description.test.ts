import { NodeHelpers, type INodeProperties } from 'n8n-workflow';
import { siteInfoSchema } from '../../../api/site';
import { findOperation, operations, properties } from '../../../nodes/Aquaculture/operations';
import { Aquaculture } from '../../../nodes/Aquaculture/Aquaculture.node';
import { AquacultureTrigger } from '../../../nodes/Aquaculture/AquacultureTrigger.node';
import { JARGON } from '../../jargon';
import { withoutTexts } from '../../withoutTexts';

const { description } = new Aquaculture();
const trigger = new AquacultureTrigger().description;
const offered = (properties.find(({ name }) => name === 'operation')?.options ?? []) as Array<{
	name: string;
	value: string;
	action: string;
	description: string;
}>;

describe('the operations', () => {
	it('are those that were decided, and each has an output schema', () => {
		const decided = ['getManySites', 'getSite', 'getUnits'];

		expect(offered.map(({ value }) => value)).toEqual(decided);
		expect(offered.map(({ name }) => name)).toEqual(['Get Many Sites', 'Get Site', 'Get Units']);
		expect(Object.keys(operations)).toEqual(decided);
	});

	it.each(['__proto__', 'constructor', 'hasOwnProperty', '', ['getSite'], undefined, null, 7])(
		'do not include %p',
		(name) => {
			expect(findOperation(name)).toBeUndefined();
		},
	);

	it.each(offered)(
		'$name has the texts that n8n asks for',
		({ name, action, description: text }) => {
			expect(name).toMatch(/^([A-Z][a-z]+ ?)+$/);
			expect(action).toMatch(/^Get (a|many|units of) sites?$/);
			// Two lines in the list of actions.
			expect(text).toMatch(/^Read [^:;]{10,70}[^.]$/);
		},
	);
});

describe('the texts of the panels', () => {
	const all: INodeProperties[] = [...properties, ...trigger.properties].flatMap((property) => [
		property,
		...(property.type === 'collection' ? (property.options as INodeProperties[]) : []),
	]);

	const fields = all.filter(({ type }) => type !== 'notice');
	it.each(fields.map((property) => [property.displayName, property] as const))(
		'%s',
		(label, property) => {
			expect(label).toMatch(/^([A-Z]\w*)( ([A-Z]\w*|at|on|or|per|with))*$/);
			if (property.type === 'boolean') expect(property.description).toMatch(/^Whether /);
			if (property.type === 'string') expect(property.placeholder).toMatch(/^e\.g\. /);
			if (property.description) {
				expect(property.description).not.toMatch(JARGON);
			}
		},
	);
});

it('the trigger can watch each field of the info', () => {
	const { options } = trigger.properties.find(({ name }) => name === 'infoFields') ?? {};

	expect((options as Array<{ value: string }>).map(({ value }) => value)).toEqual(
		Object.keys(siteInfoSchema.shape).sort(),
	);
});

it.each([
	[['any'], []],
	[['infoChanged', 'siteRenamed'], ['infoFields']],
	[['siteRenamed'], []],
	[['siteRenamed', 'any', 'infoChanged'], ['infoFieldsNotice']],
])('with %j the trigger shows %j', (changes, expected) => {
	const shown = trigger.properties.filter((property) =>
		NodeHelpers.displayParameter({ changes }, property, null, trigger),
	);

	expect(shown.map(({ name }) => name).filter((name) => name.startsWith('info'))).toEqual(expected);
});

const KIND = {
	icon: {
		light: 'file:../../icons/aquaculture.svg',
		dark: 'file:../../icons/aquaculture.dark.svg',
	},
	version: 1,
	outputs: ['main'],
	properties: [],
	credentials: [{ name: 'aquacultureApi', required: true }],
};

it('the node can be used as a tool and needs the credential', () => {
	expect(withoutTexts({ ...description, properties: [] })).toEqual({
		...KIND,
		name: 'aquaculture',
		group: ['input'],
		subtitle: expect.stringMatching(/^={{ \$parameter\.operation\./) as unknown,
		defaults: { name: 'Aquaculture' },
		inputs: ['main'],
		usableAsTool: true,
		builderHint: expect.anything() as unknown,
	});
});

it('the trigger polls, and needs the credential', () => {
	expect(withoutTexts({ ...trigger, properties: [] })).toEqual({
		...KIND,
		name: 'aquacultureTrigger',
		group: ['trigger'],
		subtitle: expect.stringMatching(/^={{ /) as unknown,
		builderHint: expect.anything() as unknown,
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
	const sites = [
		{
			name: 'sites',
			type: 'options',
			default: 'byId',
			options: ['all', 'byId', 'fromList'].map((value): unknown =>
				expect.objectContaining({ value }),
			),
			...forAll,
			builderHint: expect.anything() as unknown,
		},
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
	const site = {
		name: 'siteId',
		type: 'resourceLocator',
		required: true,
		default: { mode: 'id', value: '' },
		modes: [
			{
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod: 'searchKnownSites', searchable: true },
			},
			{ name: 'id', type: 'string' },
			{ name: 'name', type: 'string' },
		],
	};

	/** A number that is the same for all items. */
	const number = (name: string, value: number, minValue: number, maxValue: number) => ({
		name,
		type: 'number',
		default: value,
		typeOptions: { minValue, maxValue },
		...forAll,
	});

	/** The collection of options, in the order in which the panel offers them. */
	const options = (
		times: { maxTime: number; timeout: number; longest: number; maxWait?: number },
		{ includes = false, details = false } = {},
	) => ({
		name: 'options',
		type: 'collection',
		default: {},
		options: [
			...(includes ? [{ name: 'additionalIncludes', ...text }] : []),
			{ name: 'dataVersion', ...text },
			{ name: 'ignoreMissing', ...on, ...forAll },
			...(details
				? [
						{
							name: 'includeResponseDetails',
							...on,
							displayOptions: { hide: { '/simplify': [true] } },
						},
					]
				: []),
			number('maxTime', times.maxTime, 1, times.longest),
			number('maxTries', 5, 1, 20),
			...(times.maxWait === undefined ? [] : [number('maxWait', times.maxWait, 0, 1440)]),
			number('concurrentRequests', 20, 1, 50),
			number('timeout', times.timeout, 1, times.longest),
		],
	});
	const ofNode = { maxTime: 45, timeout: 30, longest: 3600, maxWait: 60 };

	const wholeSites = [
		{ name: 'includeInfo', ...on },
		{ name: 'includeUnits', ...on },
		{ name: 'simplify', ...off },
		options(ofNode, { includes: true, details: true }),
	];

	it.each([
		['getManySites', [...sites, ...wholeSites]],
		['getSite', [site, ...wholeSites]],
		['getUnits', [...sites, { name: 'includeSiteInfo', ...off }, options(ofNode)]],
	])('is what %s has', (operation, fields) => {
		const own = properties.filter(({ displayOptions }) =>
			displayOptions?.show?.operation?.includes(operation),
		);

		expect(withoutTexts(own)).toEqual(
			fields.map((field: { displayOptions?: { show?: object } }) => ({
				...field,
				displayOptions: { show: { operation: [operation], ...field.displayOptions?.show } },
			})),
		);
	});

	it('is what the choice of the operation has', () => {
		expect(properties[0]).toMatchObject({
			name: 'operation',
			type: 'options',
			default: 'getSite',
			...forAll,
		});
	});

	it('is what the trigger has', () => {
		const choices = (...values: string[]) =>
			values.map((value): unknown => expect.objectContaining({ value }));

		expect(withoutTexts(trigger.properties)).toEqual([
			...sites,
			{
				name: 'changes',
				type: 'multiOptions',
				required: true,
				default: ['any'],
				options: choices(
					...['any', 'siteChanged', 'unitChanged', 'infoChanged', 'siteRenamed'],
					...['unitAdded', 'unitMoved', 'unitRemoved', 'unitRenamed'],
				),
			},
			{
				name: 'infoFields',
				type: 'multiOptions',
				default: [],
				displayOptions: { show: { changes: ['infoChanged'] }, hide: { changes: ['any'] } },
				options: choices(
					...['code', 'latitude', 'license', 'longitude', 'maxTotalBiomass', 'timezone', 'type'],
				),
			},
			{
				name: 'infoFieldsNotice',
				type: 'notice',
				default: '',
				displayOptions: { show: { changes: ['infoChanged'], '/changes': ['any'] } },
			},
			{ name: 'emitCurrentState', ...off },
			options({ maxTime: 25, timeout: 10, longest: 25 }, { includes: true }),
		]);
	});

	it('are choices with names to read', () => {
		for (const name of ['changes', 'infoFields']) {
			const offeredChoices = trigger.properties.find((property) => property.name === name)
				?.options as Array<{ name: string }>;
			for (const choice of offeredChoices) {
				expect(choice.name).toMatch(/^([A-Z][a-z]+ ?)+$/);
			}
		}
	});
});
