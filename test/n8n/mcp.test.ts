import { Client } from '@modelcontextprotocol/sdk/client';
// eslint-disable-next-line import-x/no-unresolved -- the package names a file of types that does not exist; tsc finds another
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { IDataObject } from 'n8n-workflow';
import { DEMO_ACCOUNT, Emulator, UNLIMITED } from '../../emulator/server';
import { knownSitesOf, madeUpSite, SITES } from '../../emulator/sites';
import { shareStage } from '../../testbed/jest/shareStage';
import { createCredentials, exampleWorkflow } from '../../testbed/n8n/examples';
import { N8nInstance } from '../../testbed/n8n/instance';
import { unlimitedAccount } from '../../testbed/n8n/unlimited';
import { VERSIONS } from '../../testbed/n8n/versions';
import { until } from '../../testbed/wait';
import { Page } from '../docs/pages';

const EXAMPLE = 'sites-for-an-ai-assistant';
const TOKEN = 'a-token-that-nobody-can-guess';
const OFFICE = { username: 'office', password: 'fjord-and-salmon' };

/** The settings of an assistant as the page shows them. */
const { text: settings = '' } =
	new Page('docs/ai-agents.md').blocks.find(({ text }) => text.includes('"mcpServers"')) ?? {};
const { url, headers } = (
	JSON.parse(settings) as {
		mcpServers: { aquaculture: { url: string; headers: { Authorization: string } } };
	}
).mcpServers.aquaculture;
const PATH = new URL(url).pathname;

const [STORVÅGEN] = SITES;
const OTHERS = Array.from({ length: 299 }, (_, index) => madeUpSite(5001 + index));
const ALL_SITES = [...SITES.slice(0, 1), ...OTHERS];
const ALL_IDS = ALL_SITES.map(({ siteId }) => siteId);

const WHOLE_SITE = '/meta/sites/1001?$include=units,info';
const failing = (text: RegExp) => [{ error: expect.stringMatching(text) as unknown }];
const unitsOf = (site: { siteId?: unknown; siteName?: unknown; units?: unknown }) => {
	const { siteId, siteName, units } = site;
	return (units as IDataObject[]).map((unit) => ({ siteId, siteName, ...unit }));
};

describe.each(VERSIONS)('n8n %s', (version) => {
	const stage = shareStage();
	let emulator: Emulator;
	let n8n: N8nInstance;
	let assistant: Client;

	/** Imports the example with an account that knows 300 sites, and publishes it. */
	const publish = async (account: IDataObject, filledIn?: Record<string, IDataObject>) => {
		const credentials = await createCredentials(n8n, {
			aquacultureApi: { knownSites: knownSitesOf(ALL_SITES), ...account },
			httpBearerAuth: { token: TOKEN },
		});
		const id = await n8n.createWorkflow(exampleWorkflow(EXAMPLE, credentials, filledIn));
		expect(await n8n.activate(id)).toBeUndefined();
		return id;
	};
	/** A client of the protocol, which gives up a call after a minute. */
	const connect = async (path = PATH, token = TOKEN) => {
		const client = new Client({ name: 'assistant', version: '1.0.0' });
		const Authorization = headers.Authorization.replace('your-long-token', token);
		const requestInit = token === '' ? {} : { headers: { Authorization } };
		const transport = new StreamableHTTPClientTransport(new URL(path, n8n.address), {
			requestInit,
		});
		await client.connect(transport as Transport);
		return client;
	};
	const ask = async (name: string, given: IDataObject = {}, client = assistant) => {
		const { content, isError } = await client.callTool({ name, arguments: given });
		expect(isError).toBeUndefined();
		const [{ text }] = content as [{ text: string }];
		return JSON.parse(text) as IDataObject[];
	};
	const sent = () => emulator.journal.of('site').map((request) => request.url);

	beforeAll(async () => {
		const accounts = { [DEMO_ACCOUNT.username]: DEMO_ACCOUNT.password, office: OFFICE.password };
		emulator = await stage.keep(Emulator.start({ ...UNLIMITED, accounts, sites: ALL_SITES }));
		n8n = await N8nInstance.start(stage, version);
		await publish(unlimitedAccount(emulator.baseUrl), { 'Get Many Sites': { limit: 300 } });
		assistant = await connect();
	}, 240_000);
	beforeEach(() => emulator.journal.clear());
	afterAll(async () => await assistant.close());

	it.each([
		['without a token', ''],
		['with another token', 'another'],
	])('an assistant outside n8n is refused %s', async (_case, token) => {
		await expect(connect(PATH, token)).rejects.toMatchObject({ code: 403 });
		expect(emulator.journal.requests).toEqual([]);
	});

	it('an assistant outside n8n is told what each tool does, and what to give', async () => {
		const { tools } = await assistant.listTools();

		const fieldOf = (field: string, description: RegExp) => ({
			properties: {
				[field]: { type: 'string', description: expect.stringMatching(description) as unknown },
			},
			required: [field],
		});
		const schemas: IDataObject = {
			Get_Site: fieldOf('Site', /^The name of the site, or its ID, /),
			Get_Many_Sites: { properties: {} },
			Get_Units: fieldOf('Sites', /^The names or IDs of the sites, separated by commas$/),
		};
		const described = exampleWorkflow(EXAMPLE).nodes.filter(({ type }) => type.endsWith('Tool'));
		expect(tools).toHaveLength(described.length);
		for (const { name, parameters } of described) {
			const toolName = name.replaceAll(' ', '_');
			expect(tools.find((tool) => tool.name === toolName)).toMatchObject({
				description: parameters.toolDescription,
				inputSchema: schemas[toolName],
			});
		}
	});

	it.each<[string, string, IDataObject, unknown, string[]]>([
		['a site by its name', 'Get_Site', { Site: 'Storvågen' }, [STORVÅGEN], [WHOLE_SITE]],
		['a site by its ID', 'Get_Site', { Site: '1001' }, [STORVÅGEN], [WHOLE_SITE]],
		[
			'what to do about an unknown name',
			'Get_Site',
			{ Site: 'Storvåg' },
			failing(/Similar names: "Storvågen"\. Call this tool again with a known name or an ID/),
			[],
		],
		[
			'what to do about an unknown ID',
			'Get_Site',
			{ Site: '4040' },
			failing(/^The service does not know site 4040\. Check the site ID\./),
			['/meta/sites/4040?$include=units,info'],
		],
		[
			'units, and what to do about an unknown ID',
			'Get_Units',
			{ Sites: 'Storvågen, 4040' },
			[...unitsOf(ALL_SITES[0] ?? {}), ...failing(/^The service does not know site 4040\./)],
			['/meta/sites/1001?$include=units', '/meta/sites/4040?$include=units'],
		],
	])('an assistant outside n8n gets %s', async (_promise, tool, given, answer, requests) => {
		await expect(ask(tool, given)).resolves.toEqual(answer);
		expect(sent()).toEqual(requests);
	});

	it('an assistant outside n8n gets 300 sites in one call, each in a row', async () => {
		const rows = await ask('Get_Many_Sites');

		expect(rows.map(({ siteId }) => siteId)).toEqual(ALL_IDS);
		expect(rows[0]).toMatchObject({ siteName: 'Storvågen', license: 'M-H-0101', numberOfUnits: 8 });
		expect(sent()).toHaveLength(300);
	});

	it('an assistant outside n8n gets the right answer to each of two calls at once', async () => {
		const [site, units] = await Promise.all([
			ask('Get_Site', { Site: '5002' }),
			ask('Get_Units', { Sites: '5003' }),
		]);

		expect(site).toEqual([madeUpSite(5002)]);
		expect(units).toEqual(unitsOf(madeUpSite(5003)));
		expect(sent()).toHaveLength(2);
	});

	it('an assistant outside n8n is told immediately that the account is busy, and when to ask again', async () => {
		const account = { baseUrl: emulator.baseUrl, ...OFFICE };
		const workflow = await publish(account, { 'MCP Server Trigger': { path: 'office' } });
		const client = await connect('/mcp/office');

		await expect(ask('Get_Units', { Sites: ALL_IDS.join() }, client)).resolves.toEqual(
			failing(
				/^Reading 300 sites would take about 4 minutes, .+ or read fewer sites in one run\.$/,
			),
		);
		expect(sent()).toHaveLength(0);
		await expect(ask('Get_Many_Sites', {}, client)).resolves.toHaveLength(50);
		expect(sent()).toHaveLength(50);
		await expect(ask('Get_Many_Sites', {}, client)).resolves.toEqual(
			failing(/^Reading 50 sites would take about 2 minutes, .+ Try again in \d\d seconds, /),
		);
		await expect(ask('Get_Site', { Site: '1001' }, client)).resolves.toEqual([STORVÅGEN]);
		expect(sent()).toHaveLength(51);
		await until(async () => (await n8n.executionsOf(workflow)).length === 4);
		await client.close();
	});

	it('an assistant outside n8n leaves n8n with nothing to complain of', async () => {
		await expect(n8n.home.complaints()).resolves.toEqual([]);
	});
});
