import type { IDataObject, INodeCredentials, INodeTypeDescription } from 'n8n-workflow';
import { Emulator, UNLIMITED } from '../../emulator/server';
import { knownSitesOf, SITES } from '../../emulator/sites';
import { shareStage } from '../../testbed/jest/shareStage';
import { createCredentials, exampleWorkflow } from '../../testbed/n8n/examples';
import { VERSIONS } from '../../testbed/n8n/versions';
import { itemsOf, N8nInstance } from '../../testbed/n8n/instance';
import { LICE_ACCOUNT } from '../../testbed/servers/openData/fishHealth';
import { OpenData } from '../../testbed/servers/openData/server';
import { unlimitedAccount } from '../../testbed/n8n/unlimited';
import { NODE_TYPE, step, workflow, type Step } from '../../testbed/workflows';
import { Page } from '../docs/pages';

const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';

const codes = [
	...new Set(['docs/recipes.md', 'docs/open-data.md'].flatMap((file) => new Page(file).codes)),
];

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
	const getSite = (mode: string, value: string, settings: Partial<Step> = {}) =>
		aquaculture(
			{ operation: 'getSite', siteId: { __rl: true, mode, value }, simplify: true },
			settings,
		);
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

	const readEach = () => getSite('id', '={{ $json.siteId }}', { onError: 'continueRegularOutput' });

	it('a recipe adds some of your own columns to the sites', async () => {
		const responsible = written("$('Your List')");
		const beside = editFields('Columns', { responsible }, true);
		const rows = await rowsOf([...list('Your List', LIST), readEach(), beside]);

		expect(rows).toMatchObject([
			{ siteId: 1004, siteName: 'Lille Grønnvik', responsible: 'Åse', type: 'Sea' },
			{ siteId: 4040, error: 'The service does not know site 4040', responsible: 'Søren' },
			{ siteId: 1021, siteName: 'Gamle Brygga', responsible: 'Mar', type: null },
		]);
	});

	it.each([
		[{}, ['Sea', null, null]],
		[{ clashHandling: { values: { resolveClash: 'preferInput1' } } }, ['mine', null, '']],
	])(
		'a recipe adds all of your own columns to the sites, with the options %j',
		async (options, types) => {
			const parameters = { mode: 'combine', combineBy: 'combineByPosition', options };
			const merge = step('Merge', 'merge', parameters, { typeVersion: 3.2 });
			const more = {
				'Your List': {
					main: [
						[
							{ node: 'Aquaculture', type: 'main' as const, index: 0 },
							{ node: 'Merge', type: 'main' as const, index: 0 },
						],
					],
				},
				Aquaculture: { main: [[{ node: 'Merge', type: 'main' as const, index: 1 }]] },
			};
			const rows = await rowsOf([...list('Your List', LIST), readEach(), merge], { more });

			expect(rows).toMatchObject([
				{ siteId: 1004, siteName: 'Lille Grønnvik', responsible: 'Åse' },
				{ siteId: 4040, error: 'The service does not know site 4040', responsible: 'Søren' },
				{ siteId: 1021, siteName: 'Gamle Brygga', responsible: 'Mar' },
			]);
			expect(rows.map(({ type }) => type)).toEqual(types);
		},
	);

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

	const dataTable = (name: string, table: string, parameters: IDataObject) =>
		step(
			name,
			'dataTable',
			{ resource: 'row', dataTableId: { __rl: true, mode: 'id', value: table }, ...parameters },
			{ typeVersion: 1 },
		);
	const condition = (keyName: string, is: string, keyValue: string) => ({
		...{ operation: 'get', returnAll: true },
		filters: { conditions: [{ keyName, condition: is, keyValue }] },
	});

	it('the recipe for a weekly digest has every change of the last week', async () => {
		const table = await n8n.createDataTable('changes', ['seenAt', 'summary']);
		const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000).toISOString();
		const changes = [8, 6.9, 0].map((days) => ({
			...{ seenAt: daysAgo(days), summary: `${days} days ago`, siteId: 1001 },
		}));
		await rowsOf([
			...list('Changes', changes),
			editFields('Columns', { seenAt: '={{ $json.seenAt }}', summary: '={{ $json.summary }}' }),
			dataTable('Insert', table, {
				operation: 'insert',
				columns: { mappingMode: 'autoMapInputData', value: null },
			}),
		]);

		const [digest] = await rowsOf([
			dataTable('Get', table, condition('seenAt', 'gte', written('$now.minus({ weeks: 1 })'))),
			step('Aggregate', 'aggregate', {
				fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: 'summary' }] },
			}),
			editFields('Text', { text: `={{ $json.summary.join('\\n') }}` }),
		]);
		expect(digest).toEqual({ text: '6.9 days ago\n0 days ago' });
	});

	it('the recipe for a group of sites works with a credential', async () => {
		const group = aquaculture(
			{ operation: 'getManySites', sites: 'all', simplify: true },
			{ credentials: north },
		);
		const rows = await rowsOf([group]);

		expect(rows.map(({ siteName }) => siteName)).toEqual(['Lille Grønnvik', 'Bjørnneset']);
	});

	it('the recipe for a group of sites works with a data table', async () => {
		const table = await n8n.createDataTable('groups', ['site', 'region']);
		const rows = [
			['Lille Grønnvik', 'north'],
			['Storvågen', 'south'],
			['1006', 'north'],
		].map(([site, region]) => ({ site, region }));
		await rowsOf([
			...list('Rows', rows),
			dataTable('Insert', table, {
				operation: 'insert',
				columns: { mappingMode: 'autoMapInputData', value: null },
			}),
		]);

		const found = await rowsOf([
			dataTable('Get', table, condition('region', 'eq', 'north')),
			getSite('name', written('$json.site }}')),
		]);
		expect(found.map(({ siteName }) => siteName)).toEqual(['Lille Grønnvik', 'Bjørnneset']);
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

	describe('open data beside the sites', () => {
		let openData: OpenData;
		/** That of a node that is added now. */
		let typeVersion: number;

		beforeAll(async () => {
			openData = await stage.keep(OpenData.start());
			const types = await n8n.get<INodeTypeDescription[]>('/types/nodes.json');
			const newest = types.find(
				({ name, defaultVersion = 0 }) => name === HTTP_REQUEST && defaultVersion >= 4,
			);
			typeVersion = newest?.defaultVersion ?? NaN;
		});
		beforeEach(() => openData.reset());
		afterEach(() => emulator.reset());

		const to = (node: string, index = 0) => ({ node, type: 'main' as const, index });
		const sitesOf = (siteIds: string) =>
			aquaculture(
				{ operation: 'getManySites', sites: 'byId', siteIds, simplify: true },
				{ name: 'Get Many Sites', onError: 'continueRegularOutput' },
			);
		const raw = (name: string, jsonOutput: string) =>
			step(name, 'set', { mode: 'raw', jsonOutput }, RAW);
		/** The node HTTP Request with an address of the page, of which the stub takes the place. */
		const request = (address: string, parameters: IDataObject, settings: Partial<Step> = {}) => {
			const url = openData.at(address.replace(/^=/, ''));
			return step(
				'HTTP Request',
				HTTP_REQUEST,
				{ ...parameters, url: address.startsWith('=') ? `=${url}` : url },
				{ typeVersion, ...settings },
			);
		};

		it('a recipe compares sites with the public register', async () => {
			emulator.changeSite(1003, ({ info, ...site }) => ({
				...site,
				info: { ...info, license: ' M-H 0101', latitude: null, longitude: null },
			}));
			const address = 'https://api.fiskeridir.no/pub-aqua/api/v1/sites';
			expect(codes).toContain(address);
			const matches = {
				found: ['array', written('sites.map(')] as [string, string],
				remark: written('Nearest of'),
			};
			const hasLicence = conditions(written("?? '').trim()"), 'notEmpty');
			openData.instead = ({ query }) =>
				({ 'V-S-0105': 503, 'F-A-0106': 'broken' as const })[query['license-nr'] ?? ''];
			const rows = await rowsOf(
				[
					sitesOf('1001, 1002, 1003, 1004, 1005, 1006, 1021, 4040'),
					step('If', 'if', { conditions: hasLicence, options: {} }, { typeVersion: 2.2 }),
					request(
						address,
						{
							sendQuery: true,
							queryParameters: {
								parameters: [
									{ name: 'license-nr', value: written('$json.license.trim()') },
									{ name: 'range', value: '0-99' },
								],
							},
							options: {
								batching: { batch: { batchSize: 1, batchInterval: 500 } },
								response: {
									response: {
										...{ fullResponse: true, neverError: true, responseFormat: 'autodetect' },
									},
								},
							},
						},
						{ onError: 'continueRegularOutput' },
					),
					editFields('Matches', matches, true),
					step('Merge', 'merge', {}, { typeVersion: 3.2 }),
					raw('Columns', written('"Register number"')),
				],
				{ more: { If: { main: [[to('HTTP Request')], [to('Merge', 1)]] } } },
			);

			const none = {
				...{ 'Register number': '', 'Register name': '', 'Distance (km)': null },
				...{ 'Register capacity': '', 'Production area': '' },
			};
			const source = { Source: 'Kilde: Fiskeridirektoratet' };
			const count = 'Sites with this licence';
			expect(rows).toEqual([
				{
					...{ Site: 'Storvågen', Licence: 'M-H-0101', 'Our maximum biomass': 3120, ...source },
					...{ 'Register number': '90001', 'Register name': 'STORVÅGEN', 'Distance (km)': 1 },
					...{ 'Register capacity': '3120 TN', 'Production area': 'Fiktivområdet', [count]: 2 },
					Remark: 'Nearest of 2',
				},
				{
					...{ Site: 'Kråkøya', Licence: 'T-N-0102', 'Our maximum biomass': 2340, ...source },
					...{ 'Register number': '90002', 'Register name': 'KRÅKØYA', 'Distance (km)': 0 },
					...{ 'Register capacity': '2340 TN', 'Production area': '', [count]: 1, Remark: '' },
				},
				{
					...{ Site: 'Ærfuglsundet', Licence: ' M-H 0101', 'Our maximum biomass': 3900, ...source },
					...{ 'Register number': '90003, 90001', 'Register name': 'FJERNSTAD, STORVÅGEN' },
					...{ 'Distance (km)': null, 'Register capacity': '780 TN, 3120 TN', [count]: 2 },
					...{ 'Production area': 'Fiktivområdet, Fiktivområdet' },
					Remark: 'No position to choose by',
				},
				{
					...{ Site: 'Lille Grønnvik', Licence: 'N-V-0104', 'Our maximum biomass': 1560 },
					...{ ...none, [count]: 0, Remark: 'Licence not in the register', ...source },
				},
				expect.objectContaining({ ...none, [count]: null, Remark: 'The register answered 503' }),
				expect.objectContaining({
					...{ ...none, [count]: null, Remark: 'The register could not be asked' },
				}),
				expect.objectContaining({ ...none, Site: 'Gamle Brygga', Remark: 'No licence' }),
				expect.objectContaining({
					...{ ...none, Remark: 'Could not be read: The service does not know site 4040' },
				}),
			]);
			expect(openData.asked.map(({ query }) => query)).toEqual(
				['M-H-0101', 'T-N-0102', 'M-H-0101', 'N-V-0104', 'V-S-0105', 'F-A-0106'].map((license) => ({
					...{ 'license-nr': license, range: '0-99' },
				})),
			);
		});

		const liceByWeek = async () => {
			const tokenAddress = 'https://id.barentswatch.no/connect/token';
			expect(codes).toContain(tokenAddress);
			const oAuth2Api = await n8n.createCredential(
				{
					...{ grantType: 'clientCredentials', accessTokenUrl: openData.at(tokenAddress) },
					...{ ...LICE_ACCOUNT, scope: 'api', authentication: 'body' },
				},
				'oAuth2Api',
				'Lice',
			);
			const address = written('barentswatch.no/bwapi');
			expect(address).toMatch(
				/^=https:\/\/www\.barentswatch\.no\/bwapi\/v2\/geodata\/fishhealth\/locality\/\{\{/,
			);
			const merge = {
				...{ mode: 'combine', advanced: true, joinMode: 'enrichInput1', options: {} },
				mergeByFields: { values: [{ field1: 'localityNo', field2: 'locality.no' }] },
			};
			return await rowsOf(
				[
					sitesOf('1001, 1002, 1003, 1004, 4040'),
					editFields('Locality', { localityNo: ['number', written('[$json.siteId]')] }, true),
					request(
						address,
						{
							method: 'POST',
							...{ authentication: 'genericCredentialType', genericAuthType: 'oAuth2Api' },
							...{ sendBody: true, specifyBody: 'json', jsonBody: '{}', options: {} },
						},
						{ credentials: { oAuth2Api: { id: oAuth2Api, name: 'Lice' } } },
					),
					step('Merge', 'merge', merge, { typeVersion: 3.2 }),
					raw('Columns', written('"Adult female lice"')),
				],
				{
					more: {
						Start: { main: [[to('Get Many Sites'), to('HTTP Request')]] },
						Locality: { main: [[to('Merge')]] },
						'HTTP Request': { main: [[to('Merge', 1)]] },
					},
				},
			);
		};

		it('a recipe shows sea lice by week', async () => {
			const rows = await liceByWeek();
			const week = expect.stringMatching(/^20\d\d\/\d{1,2}$/) as unknown;
			const none = {
				...{ 'Adult female lice': '', 'Week before': '', Trend: '', 'Sea (°C)': '', Week: week },
			};
			expect(rows).toEqual([
				{
					...{ Site: 'Storvågen', Week: week, 'Adult female lice': 0.42, 'Week before': 0.31 },
					...{ Trend: 'Increasing', 'Sea (°C)': 11.4, Remark: '' },
				},
				{ Site: 'Kråkøya', ...none, Remark: 'Fallow' },
				{ Site: 'Ærfuglsundet', ...none, Remark: 'No report' },
				{ Site: 'Lille Grønnvik', ...none, Remark: 'No locality number' },
				expect.objectContaining({
					...{ ...none, Remark: 'Could not be read: The service does not know site 4040' },
				}),
			]);
			expect(openData.asked.map(({ path, body }) => [path.split('/20')[0], body])).toEqual([
				[
					'/connect/token',
					{
						...{ grant_type: 'client_credentials', scope: 'api' },
						...{ client_id: LICE_ACCOUNT.clientId, client_secret: LICE_ACCOUNT.clientSecret },
					},
				],
				['/bwapi/v2/geodata/fishhealth/locality', {}],
			]);
		});

		it('a recipe shows sea lice by week, although there is nothing yet for a week', async () => {
			openData.instead = ({ path }) => (path.includes('/locality/') ? [] : undefined);
			const rows = await liceByWeek();

			expect(rows.map(({ Remark }) => Remark)).toEqual([
				...Array<string>(3).fill('Not in the list'),
				'No locality number',
				expect.stringContaining('Could not be read'),
			]);
		});

		it('a recipe sends a message if waves get high', async () => {
			const example = exampleWorkflow('sea-and-weather', account, {
				'Get Many Sites': { sites: 'byId', siteIds: '1001, 1007, 1021' },
				'Send Email': { fromEmail: 'farm@example.com', toEmail: 'a@example.com' },
			});
			for (const { name, parameters } of example.nodes) {
				if (name === 'Send Email') continue;
				if ('url' in parameters) parameters.url = openData.at(String(parameters.url));
			}
			const highest = written('...$json.sea.map');
			const message = workflow('Message', [
				editFields('Highest', { highestWave: ['number', highest] }, true),
				filter(written('{{ $json.highestWave }}'), 'gt', 2),
				step('All', 'aggregate', { aggregate: 'aggregateAllItemData', options: {} }),
				editFields('Post', { text: written('$json.data.map(') }),
			]);
			const sending = example.nodes.find(({ name }) => name === 'Send Email');
			Object.assign(sending ?? {}, { disabled: true });
			const next = example.connections['Next 24 Hours']?.main?.[0] ?? [];
			const id = await n8n.createWorkflow({
				...example,
				nodes: [...example.nodes, ...message.nodes],
				connections: {
					...example.connections,
					...message.connections,
					'Next 24 Hours': { main: [[...next, to('Highest')]] },
				},
			});
			const execution = await n8n.runManually(id);

			expect(execution).toMatchObject({ status: 'success' });
			expect(itemsOf(execution, 'Post').map(({ json }) => json)).toEqual([
				{
					text: [
						'Waves above 2 m in the next 24 hours:',
						'Storvågen: 2.3 m',
						'Gamle Brygga: 2.3 m',
						'Based on data from MET Norway (https://api.met.no/), https://creativecommons.org/licenses/by/4.0/',
					].join('\n'),
				},
			]);
			expect(openData.asked.map(({ headers }) => headers['user-agent'])).toEqual(
				Array(6).fill('n8n workflow of farm@example.com'),
			);
		});
	});
});
