import type { IDataObject, INodeCredentials } from 'n8n-workflow';
import { Emulator, UNLIMITED } from '../../emulator/server';
import { knownSitesOf, SITES } from '../../emulator/sites';
import { shareStage } from '../../testbed/jest/shareStage';
import { createCredentials } from '../../testbed/n8n/examples';
import { VERSIONS } from '../../testbed/n8n/versions';
import { itemsOf, N8nInstance } from '../../testbed/n8n/instance';
import { unlimitedAccount } from '../../testbed/n8n/unlimited';
import { NODE_TYPE, step, workflow, type Step } from '../../testbed/workflows';
import { Page } from '../docs/pages';

const codes = [...new Set(new Page('docs/recipes.md').codes)];

/** The expression of the pages that contains a text, as a field holds it. */
function written(part: string): string {
	const found = codes.filter((code) => code.includes('{{') && code.includes(part));
	expect(found).toHaveLength(1);
	return `=${found[0]}`;
}

const LIST = [
	{ siteId: 1004, responsible: 'Åse', type: 'mine' },
	{ siteId: 4040, responsible: 'Søren', type: null },
	{ siteId: 1021, responsible: 'Mar', type: '' },
];

/** The node Edit Fields with these fields: a text, or a type and a value. */
function editFields(
	name: string,
	fields: Record<string, string | [type: string, value: string]>,
	others = false,
): Step {
	const assignments = Object.entries(fields).map(([field, entered]) => {
		const [type, value] = typeof entered === 'string' ? ['string', entered] : entered;
		return { id: field, name: field, type, value };
	});
	const parameters = { assignments: { assignments }, includeOtherFields: others };
	return step(name, 'set', parameters, { typeVersion: 3.4 });
}

/** What Filter and If show as one condition. */
function conditions(
	leftValue: string,
	operation: string,
	rightValue: string | number = '',
	ignoreCase = false,
): IDataObject {
	const single = operation === 'notEmpty' && { singleValue: true };
	const type = typeof rightValue;
	return {
		options: { caseSensitive: !ignoreCase, typeValidation: 'strict', version: 2 },
		combinator: 'and',
		conditions: [
			{ id: operation, leftValue, rightValue, operator: { type, operation, ...single } },
		],
	};
}

function filter(
	leftValue: string,
	operation: string,
	rightValue: string | number = '',
	options = {},
): Step {
	const parameters = {
		conditions: conditions(leftValue, operation, rightValue, 'ignoreCase' in options),
		options,
	};
	return step(`Filter ${operation}`, 'filter', parameters, { typeVersion: 2.2 });
}

function sort(fieldName: string, order: string): Step {
	return step('Sort', 'sort', { sortFieldsUi: { sortField: [{ fieldName, order }] } });
}

describe.each(VERSIONS)('n8n %s', (version) => {
	const stage = shareStage();
	let emulator: Emulator;
	let n8n: N8nInstance;
	let account: INodeCredentials;
	let north: INodeCredentials;
	let locked: INodeCredentials;

	beforeAll(async () => {
		emulator = await stage.keep(Emulator.start({ ...UNLIMITED, sites: SITES }));
		n8n = await N8nInstance.start(stage, version);
		const knowing = async (known: typeof SITES, more: IDataObject = {}) =>
			await createCredentials(n8n, {
				aquacultureApi: {
					...unlimitedAccount(emulator.baseUrl),
					knownSites: knownSitesOf(known),
					...more,
				},
			});
		const ofNorth = SITES.filter(({ siteId }) => [1004, 1006].includes(siteId));
		account = await knowing(SITES);
		north = await knowing(ofNorth);
		locked = await knowing(ofNorth, { username: 'locked' });
	}, 240_000);

	const aquaculture = (
		parameters: IDataObject,
		{ name = 'Aquaculture', credentials = account, ...settings }: Partial<Step> = {},
	) => step(name, NODE_TYPE, parameters, { credentials, ...settings });
	const allSites = (parameters: IDataObject = { simplify: true }) =>
		aquaculture({ operation: 'getManySites', sites: 'all', ...parameters });
	const list = (name: string, items: readonly object[]) => [
		step(`${name} as one`, 'set', { mode: 'raw', jsonOutput: JSON.stringify({ items }) }, RAW),
		step(name, 'splitOut', { fieldToSplitOut: 'items' }),
	];
	const RAW = { typeVersion: 3.4 };
	/** The rows of the last step. */
	const rowsOf = async (steps: Step[], { settings = {}, more = {} } = {}) => {
		const row = [step('Start', 'manualTrigger'), ...steps];
		const made = workflow('Recipe', row, settings);
		const id = await n8n.createWorkflow({
			...made,
			connections: { ...made.connections, ...more },
		});
		const execution = await n8n.runManually(id);
		expect(execution).toMatchObject({ status: 'success' });
		return itemsOf(execution, row.at(-1)?.name ?? '').map(({ json }) => json);
	};

	it('the recipe for only some sites finds them by type', async () => {
		const rows = await rowsOf([allSites(), filter(written('$json.type }}'), 'equals', 'Land')]);

		expect(rows.map(({ siteId }) => siteId)).toEqual([1005, 1010]);
	});

	it('the recipe for only some sites finds them by a word in the name, whatever its case', async () => {
		const byName = filter(`={{ $json.siteName }}`, 'contains', 'VIK', { ignoreCase: true });
		const rows = await rowsOf([allSites(), byName]);

		expect(rows.map(({ siteName }) => siteName)).toEqual(['Lille Grønnvik', 'Nyvika (planlagt)']);
	});

	it('the recipe for only some sites finds the largest limits first', async () => {
		const limit = step('Limit', 'limit', { maxItems: 3 });
		const rows = await rowsOf([
			aquaculture({
				operation: 'getManySites',
				sites: 'byId',
				siteIds: '1004, 1007, 1001, 1003',
				simplify: true,
			}),
			sort('maxTotalBiomass', 'descending'),
			limit,
		]);

		expect(rows.map(({ maxTotalBiomass }) => maxTotalBiomass)).toEqual([4200, 3900, 3120]);
	});

	it('the recipe for only some sites sorts letters beyond Z, and leaves out rows with an empty cell first', async () => {
		const names = ['Øya', null, 'Ås', 'Zeta', 'Ærø', 'alfa'].map((siteName) => ({ siteName }));
		const rows = await rowsOf([
			...list('Rows', names),
			filter(`={{ $json.siteName }}`, 'notEmpty'),
			sort('siteName', 'ascending'),
		]);

		expect(rows.map(({ siteName }) => siteName)).toEqual(['alfa', 'Zeta', 'Ås', 'Ærø', 'Øya']);
	});

	it('a recipe writes the units of a site in one cell', async () => {
		const rows = await rowsOf([
			allSites({ simplify: false }),
			editFields('Columns', {
				site: written('{{ $json.siteName }}'),
				licence: written('$json.info?.license ??'),
				units: written('unit.unitName'),
			}),
		]);

		expect(rows).toHaveLength(SITES.length);
		expect(rows).toEqual(
			expect.arrayContaining([
				{ site: 'Lille Grønnvik', licence: 'N-V-0104', units: 'Nord, Midt, Sør' },
				{ site: 'Nyvika (planlagt)', licence: 'T-T-0120', units: '' },
				{ site: 'Gamle Brygga', licence: '', units: '10210, Merd uten nummer' },
			]),
		);
	});

	const readEach = () =>
		aquaculture(
			{
				...{ operation: 'getSite', simplify: true, options: { includeInputFields: true } },
				siteId: { __rl: true, mode: 'id', value: '={{ $json.siteId }}' },
			},
			{ onError: 'continueErrorOutput' },
		);

	it('a recipe returns your own columns beside those of the sites', async () => {
		const rows = await rowsOf([...list('Your List', LIST), readEach()]);

		expect(rows).toMatchObject([
			{ siteId: 1004, siteName: 'Lille Grønnvik', responsible: 'Åse', type: 'Sea' },
			{ siteId: 1021, siteName: 'Gamle Brygga', responsible: 'Mar', type: null },
		]);
	});

	it('a recipe keeps your own columns of a site that cannot be read, at the error output', async () => {
		const failed = step('Failed', 'noOp');
		const more = {
			Aquaculture: { main: [[], [{ node: 'Failed', type: 'main' as const, index: 0 }]] },
		};
		const rows = await rowsOf([...list('Your List', LIST), readEach(), failed], { more });

		expect(rows).toMatchObject([
			{ siteId: 4040, responsible: 'Søren', error: 'The service does not know site 4040' },
		]);
	});

	it('a recipe writes other column names, in their order', async () => {
		const jsonOutput = written('"Licence": $json.license');
		const renamed = step('Columns', 'set', { mode: 'raw', jsonOutput }, RAW);
		const rows = await rowsOf([allSites(), renamed]);

		expect(Object.entries(rows[0] ?? {})).toEqual([
			['Site', 'Storvågen'],
			['Code', 'STO'],
			['Licence', 'M-H-0101'],
			['Limit', 3120],
			['Units', 8],
		]);
		expect(rows).toContainEqual({
			...{ Site: 'Gamle Brygga', Code: null, Licence: null, Limit: null, Units: 2 },
		});
	});

	it.each([
		[".seenAt).toFormat('", '2026-03-02 16:15'],
		[".setZone('America/Santiago')", '2026-03-02 04:15'],
	])('a recipe writes the local time of a change: %s', async (part, seenAt) => {
		const change = { seenAt: '2026-03-02T07:15:04.120Z', summary: 'Changed' };
		const local = editFields('Local', { seenAt: written(part) }, true);
		const settings = { timezone: 'Asia/Tokyo' };

		await expect(rowsOf([...list('Changes', [change]), local], { settings })).resolves.toEqual([
			{ ...change, seenAt },
		]);
	});

	it('the recipe for a group of sites works with a credential', async () => {
		const group = aquaculture(
			{ operation: 'getManySites', sites: 'all', simplify: true },
			{ credentials: north },
		);
		const rows = await rowsOf([group]);

		expect(rows.map(({ siteName }) => siteName)).toEqual(['Lille Grønnvik', 'Bjørnneset']);
	});

	it.each([
		['and of the other one', () => account, SITES.length, undefined],
		['though the other one cannot log in', () => locked, 2, 'The service refused'],
	])(
		'the recipe for two accounts in one table has the sites of one, %s',
		async (_what, other, count, error) => {
			const read = { operation: 'getManySites', sites: 'all', simplify: true };
			const onError = 'continueRegularOutput' as const;
			const to = (node: string, index = 0) => ({ node, type: 'main' as const, index });
			const more = {
				Start: { main: [[to('One'), to('Two')]] },
				One: { main: [[to('Account one')]] },
				'Account one': { main: [[to('Merge')]] },
				Two: { main: [[to('Account two')]] },
				'Account two': { main: [[to('Merge', 1)]] },
			};
			const rows = await rowsOf(
				[
					aquaculture(read, { name: 'One', credentials: north, onError }),
					aquaculture(read, { name: 'Two', credentials: other(), onError }),
					editFields('Account one', { account: 'one' }, true),
					editFields('Account two', { account: 'two' }, true),
					step('Merge', 'merge', {}, { typeVersion: 3.2 }),
				],
				{ more },
			);

			expect(rows.map((row) => [row.account, row.error])).toEqual([
				...Array<unknown>(2).fill(['one', undefined]),
				...Array<unknown>(count).fill([
					'two',
					error && (expect.stringContaining(error) as unknown),
				]),
			]);
		},
	);
});
