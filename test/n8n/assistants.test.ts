import type { Client, TextContent } from '@modelcontextprotocol/client';
import type { IDataObject, INode } from 'n8n-workflow';
import { knownSitesOf, SITES } from '../../emulator/sites';
import { useN8n } from '../../testbed/jest/useN8n';
import { connectAssistant } from '../../testbed/n8n/assistant';
import { Editor } from '../../testbed/n8n/editor';
import { createCredentials, exampleWorkflow } from '../../testbed/n8n/examples';
import { ChatModel } from '../../testbed/servers/chatModel';
import { until } from '../../testbed/wait';
import { agentWorkflow, credentialRef, httpRequestNode, NODE_TYPE } from '../../testbed/workflows';
import { Page } from '../docs/pages';

// Slow: starts n8n, and a browser for one test.

/** Versions of the AI Agent that both versions of n8n have. They call tools in different ways. */
const AGENTS = [3, 2.2];

const SITE_ID = 'The whole number of the site, such as 1001';
const SITE_IDS = 'The whole numbers of the sites, separated by commas';

const EXAMPLE = 'sites-for-an-ai-assistant';
const TOKEN = 'a-token-that-nobody-can-guess';

/** An assistant's settings, as docs/ai-agents.md shows them. */
const { text: settings = '' } =
	new Page('docs/ai-agents.md').blocks.find(({ text }) => text.includes('"mcpServers"')) ?? {};
const { url, headers } = (
	JSON.parse(settings) as {
		mcpServers: { aquaculture: { url: string; headers: { Authorization: string } } };
	}
).mcpServers.aquaculture;
const PATH = new URL(url).pathname;

const [STORVÅGEN] = SITES;
const failing = (text: RegExp) => ({ error: expect.stringMatching(text) as unknown });
const NOT_KNOWN = failing(/^The service does not know site 4040\. Check the site ID\./);

const { cleanup, emulator, n8n } = useN8n();
let model: ChatModel;
let account: string;
let chat: string;

const tool = (name: string, parameters: IDataObject, more: Partial<INode> = {}) => ({
	name,
	credentials: credentialRef(account),
	parameters: parameters as INode['parameters'],
	...more,
});

beforeAll(async () => {
	model = await cleanup.use(new ChatModel().start());
	account = await n8n.createCredential({ ...emulator.credential, knownSites: knownSitesOf(SITES) });
	chat = await n8n.createCredential(model.credential, 'openAiApi');
	const siteId = `={{ $fromAI('Site_ID', '${SITE_ID}', 'number') }}`;
	const siteIds = `={{ $fromAI('Site_IDs', '${SITE_IDS}', 'string') }}`;
	const several = { sites: 'byId', siteIds };
	const { parameters } = httpRequestNode(account);
	const post = { ...parameters, method: 'POST', url: `${emulator.baseUrl}/data/feed` };
	const tools = [
		tool('Get a site', { siteId }),
		tool('Get many sites', { ...several, operation: 'getManySites', includeUnits: false }),
		tool('Units', {
			...{ ...several, resource: 'unit', operation: 'getUnits' },
			...{ descriptionType: 'manual', toolDescription: 'Lists the pens of sites' },
		}),
		tool(
			'Older HTTP tool',
			{ toolDescription: 'Sends a feed order', ...post },
			{ type: '@n8n/n8n-nodes-langchain.toolHttpRequest', typeVersion: 1.1 },
		),
		tool('HTTP tool', post, { type: 'n8n-nodes-base.httpRequestTool', typeVersion: 4.2 }),
	];
	for (const agent of AGENTS) {
		await n8n.addWebhook(agentWorkflow(`agent-${agent}`, agent, chat, tools));
	}
});
beforeEach(() => emulator.reset());

describe.each(AGENTS)('an agent of version %s', (agent) => {
	/** Returns the tool's answer, which the model repeats. */
	const ask = async (name: string, parameters: IDataObject) => {
		model.use = { name, parameters };
		const question = ['What about my sites?'];
		const [said] = await n8n.callWebhook<Array<{ output: string }>>(`agent-${agent}`, question);
		return JSON.parse(said?.output ?? '') as IDataObject[];
	};

	it('gets the description and parameters of each tool', async () => {
		await ask('Get_a_site', { Site_ID: 1001 });
		const schemaOf = (name: string) => model.tools.find((each) => each.name === name);

		expect(schemaOf('Get_a_site')).toMatchObject({
			description: 'Get a site in Aquaculture',
			parameters: {
				properties: { Site_ID: { type: 'number', description: SITE_ID } },
				required: ['Site_ID'],
			},
		});
		expect(schemaOf('Units')).toMatchObject({
			description: 'Lists the pens of sites',
			parameters: { properties: { Site_IDs: { type: 'string', description: SITE_IDS } } },
		});
	});

	it.each<[string, string, IDataObject, unknown[]]>([
		['a site', 'Get_a_site', { Site_ID: 1001 }, [STORVÅGEN]],
		[
			'the others where one of many sites is unknown',
			'Get_many_sites',
			{ Site_IDs: '[1001,4040,1002]' },
			[{ siteName: 'Storvågen' }, NOT_KNOWN, { siteName: 'Kråkøya' }],
		],
	])('gets %s', async (_promise, name, parameters, answer) => {
		await expect(ask(name, parameters)).resolves.toMatchObject(answer);
	});
});

it.each([
	[2.2, 'Older_HTTP_tool'],
	[2.2, 'HTTP_tool'],
	[3, 'HTTP_tool'],
])('an agent of version %s does not retry a POST after a 401: %s', async (agent, name) => {
	emulator.fail({ route: 'other', fault: { kind: 'status', status: 401 } });
	model.use = { name, parameters: {} };

	await n8n.callWebhook(`agent-${agent}`, ['Send it']).catch(() => undefined);

	expect(emulator.journal.count('other')).toBe(1);
});

it('a person can add a tool to an agent and let the model fill in the site', async () => {
	const editor = await Editor.open(cleanup, n8n);
	const id = await n8n.createWorkflow(agentWorkflow('Tools', 3, chat, []));
	await editor.openWorkflow(id);
	// Before that, n8n offers all nodes instead of tools.
	await editor.page.waitForLoadState('networkidle');
	const toolInput = '[data-test-id="canvas-node-input-handle"][data-connection-type="ai_tool"]';
	await editor.page.locator(toolInput).getByTestId('canvas-handle-plus').click();
	await editor.part('nodes-list-header').getByText('Tools', { exact: true }).waitFor();
	await editor.search('aquaculture');
	await editor.found('Aquaculture').click();
	// The mode that the model can fill in.
	expect(await editor.part('rlc-mode-selector').locator('input').inputValue()).toBe('By ID');
	await editor.part('from-ai-override-button').first().click();
	await editor.page.getByText('Defined automatically by the model').waitFor();

	await editor.choose('operation', 'Get Many Sites');
	await editor.choose('sites', 'By ID');
	await editor.field('siteIds').waitFor();
	await editor.closeNode();
	await editor.page.keyboard.press('Control+S');
	const stored = async () => await n8n.getParameters(id, `${NODE_TYPE}Tool`);
	await until(async () => (await stored())?.operation === 'getManySites');
	expect(await stored()).toMatchObject({ sites: 'byId' });
});

describe('an assistant outside n8n', () => {
	let assistant: Client;

	/** Imports the example and publishes it. */
	const publish = async () => {
		const credentials = await createCredentials(n8n, {
			aquacultureApi: { ...emulator.credential, knownSites: knownSitesOf(SITES) },
			httpBearerAuth: { token: TOKEN },
		});
		const id = await n8n.createWorkflow(exampleWorkflow(EXAMPLE, credentials));
		expect(await n8n.activate(id)).toBeUndefined();
	};
	const connect = async (token = TOKEN) => {
		const authorization = headers.Authorization.replace('your-long-token', token);
		return await connectAssistant(new URL(PATH, n8n.address), authorization);
	};
	const ask = async (name: string, given: IDataObject) => {
		const { content } = await assistant.callTool({ name, arguments: given });
		const [{ text }] = content as [TextContent];
		return JSON.parse(text) as IDataObject[];
	};

	beforeAll(async () => {
		await publish();
		assistant = await connect();
	});
	afterAll(async () => await assistant.close());

	it('is refused with a wrong token', async () => {
		await expect(connect('another')).rejects.toMatchObject({ status: 403 });
		expect(emulator.journal.requests).toEqual([]);
	});

	it('gets the description and parameters of each tool', async () => {
		const { tools } = await assistant.listTools();

		const described = exampleWorkflow(EXAMPLE).nodes.filter(({ type }) => type.endsWith('Tool'));
		expect(tools).toHaveLength(described.length);
		for (const { name, parameters } of described) {
			const found = tools.find((each) => each.name === name.replaceAll(' ', '_'));
			expect(found?.description).toBe(parameters.toolDescription);
			// At the request limit, the assistant learns immediately when to try again.
			expect(parameters.options).toMatchObject({ maxWait: 0 });
		}
		expect(tools.find(({ name }) => name === 'Get_Site')?.inputSchema).toMatchObject({
			properties: {
				Site: {
					type: 'string',
					description: expect.stringMatching(/^The name of the site, or its ID, /) as unknown,
				},
			},
			required: ['Site'],
		});
	});

	it.each<[string, string, IDataObject, unknown[]]>([
		['a site by its name', 'Get_Site', { Site: 'Storvågen' }, [STORVÅGEN]],
		[
			'units, and what to do about an unknown ID',
			'Get_Units',
			{ Sites: 'Lille Grønnvik, 4040' },
			[...['Nord', 'Midt', 'Sør'].map((unitName) => ({ siteId: 1004, unitName })), NOT_KNOWN],
		],
	])('gets %s', async (_promise, name, given, answer) => {
		await expect(ask(name, given)).resolves.toMatchObject(answer);
	});
});
