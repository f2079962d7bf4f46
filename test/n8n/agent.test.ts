import type { IDataObject, INode } from 'n8n-workflow';
import { Emulator, UNLIMITED } from '../../emulator/server';
import { knownSitesOf, SITES } from '../../emulator/sites';
import { Aquaculture } from '../../nodes/Aquaculture/Aquaculture.node';
import { PICTURED_VERSION, VERSIONS } from '../../testbed/n8n/versions';
import { N8nInstance } from '../../testbed/n8n/instance';
import { ChatModel } from '../../testbed/servers/chatModel';
import { Editor } from '../../testbed/n8n/editor';
import { checkPicture } from '../../testbed/n8n/pictures';
import { shareStage } from '../../testbed/jest/shareStage';
import { unlimitedAccount } from '../../testbed/n8n/unlimited';
import { until } from '../../testbed/wait';
import {
	agentWorkflow,
	chatWorkflow,
	credentialsOf,
	NODE_TYPE,
	step,
	workflow,
} from '../../testbed/workflows';

/** The versions of the AI Agent that are in both n8n; they run their tools in different ways. */
const AGENTS = [3, 2.2];

const SITE_ID_TEXT = 'The whole number of the site, such as 1001';
const SITE_IDS_TEXT = 'The whole numbers of the sites, separated by commas';
const SITE_TEXT = 'The name of the site, or its ID, such as Storvågen or 1001';
const MANY_READ = /^Storvågen \| The service does not know site 4040\. .+ \| Kråkøya$/;
const NO_NAME =
	/^'Site IDs' contains an unknown site: "Storvåg"\. Similar names: "Storvågen".* Call this tool again/;
const UNKNOWN = 'The service does not know site 4040. Check the site ID.';
const MALFORMED =
	/^'Site' is not a whole number: "1001\.5"\. Call this tool again with .*, or ask for it\.$/;
const ANY: unknown = expect.anything();
const FAILED = [{ error: expect.any(String) as string }];
const ONE_SITE = 'Get_a_site_in_Aquaculture';
const MANY_SITES = 'Get_many_sites_in_Aquaculture';
const NO_UNITS = 'Nothing was found. The site has no units';
const SUB_WORKFLOW = 'Site_by_sub-workflow';
const UNKNOWN_NAME = '\'Site\' contains an unknown site: "Storvåg"';
const NOT_FOUND: unknown = expect.objectContaining({
	description: expect.stringMatching(/^Similar names: "Storvågen"\./) as unknown,
});
const HOME_SITE = { siteId: 1002, siteName: 'Kråkøya' };

describe.each(VERSIONS)('n8n %s', (version) => {
	const stage = shareStage();
	let n8n: N8nInstance;
	let emulator: Emulator;
	let model: ChatModel;
	let account: string;
	let chat: string;

	const tool = (name: string, parameters: IDataObject, settings: Partial<INode> = {}) => ({
		name,
		credentials: credentialsOf(account),
		parameters: parameters as INode['parameters'],
		...settings,
	});

	/** A tool that has another workflow read a site. */
	const subWorkflowTool = async (name: string) => {
		const node = step(
			'Read',
			NODE_TYPE,
			{ siteId: '={{ $json.Site }}' },
			{ credentials: credentialsOf(account), onError: 'continueRegularOutput' },
		);
		const inputs = { workflowInputs: { values: [{ name: 'Site' }] } };
		const called = step('Called', 'executeWorkflowTrigger', inputs, { typeVersion: 1.1 });
		const id = await n8n.createWorkflow(workflow(name, [called, node]));
		// n8n 1.x runs it as it is.
		if (!version.startsWith('1.')) await n8n.activate(id);
		const value = { Site: `={{ $fromAI('Site', '${SITE_TEXT}', 'string') }}` };
		const schema = [{ id: 'Site', displayName: 'Site', type: 'string', display: true }];
		return tool(
			name,
			{
				workflowId: { __rl: true, mode: 'id', value: id },
				workflowInputs: { mappingMode: 'defineBelow', value, schema },
			},
			{ type: '@n8n/n8n-nodes-langchain.toolWorkflow', typeVersion: 2.2 },
		);
	};

	beforeAll(async () => {
		emulator = await stage.keep(Emulator.start(UNLIMITED));
		model = await stage.keep(ChatModel.start());
		n8n = await N8nInstance.start(stage, version);
		account = await n8n.createCredential({
			...unlimitedAccount(emulator.baseUrl),
			knownSites: knownSitesOf(SITES),
		});
		chat = await n8n.createCredential(model.credential, 'openAiApi');
		const tools = [
			tool('Get a site in Aquaculture', {
				siteId: `={{ $fromAI('Site_ID', '${SITE_ID_TEXT}', 'number') }}`,
			}),
			tool('Get many sites in Aquaculture', {
				operation: 'getManySites',
				siteIds: `={{ $fromAI('Site_IDs', '${SITE_IDS_TEXT}', 'string') }}`,
				includeUnits: false,
			}),
			tool('Units', {
				descriptionType: 'manual',
				toolDescription: 'Lists the pens of sites',
				operation: 'getUnits',
				siteIds: `={{ $fromAI('Site_IDs', '${SITE_IDS_TEXT}', 'string') }}`,
			}),
			tool('Home site', { siteId: '1002', includeInfo: false, includeUnits: false }),
			tool('Parts', { siteId: '1003', options: { additionalIncludes: '={{ $json.webhookUrl }}' } }),
			tool(
				'Strict',
				{ siteId: `={{ $fromAI('Site_ID', '', 'string') }}` },
				{ onError: 'stopWorkflow' },
			),
		];
		tools.push(await subWorkflowTool('Site by sub-workflow'));
		for (const agent of AGENTS) {
			await n8n.addWebhook(agentWorkflow(`agent-${agent}`, agent, chat, tools));
		}
	}, 240_000);
	beforeEach(() => emulator.reset());

	describe.each(AGENTS)('an agent of version %s', (agent) => {
		/** The answer names what the tool has read. */
		const ask = async (tool: string, parameters: IDataObject = {}) => {
			model.willUse({ tool, parameters, answer: (read) => names(read as IDataObject[]) });
			const [said] = await n8n.callWebhook<Array<{ output: string }>>(`agent-${agent}`, [
				'What about my sites?',
			]);
			return said?.output;
		};
		const names = (rows: IDataObject[]) =>
			rows.map((row) => row.unitName ?? row.error ?? row.siteName ?? row.message).join(' | ');

		it('an agent has a tool whose expression speaks of the item that the agent was given', async () => {
			await ask('Parts');

			const [{ url = '' } = {}] = emulator.journal.of('site');
			expect(decodeURIComponent(url)).toContain(`/agent-${agent}`);
		});

		it('an agent is told what each tool does and what it wants', async () => {
			await ask('Home_site');
			const automatic = new Aquaculture().description.description;
			const schemaOf = (name: string) => model.tools.find((tool) => tool.name === name);

			expect(schemaOf(ONE_SITE)).toMatchObject({
				description: automatic,
				parameters: {
					type: 'object',
					properties: { Site_ID: { type: 'number', description: SITE_ID_TEXT } },
					required: ['Site_ID'],
				},
			});
			expect(schemaOf(MANY_SITES)).toMatchObject({
				description: automatic,
				parameters: { properties: { Site_IDs: { type: 'string', description: SITE_IDS_TEXT } } },
			});
			expect(schemaOf('Units')).toMatchObject({
				description: 'Lists the pens of sites',
				parameters: { properties: { Site_IDs: { type: 'string' } } },
			});
			expect(schemaOf('Home_site')?.parameters.properties).toEqual({});
		});

		it.each<[string, string, IDataObject, string | RegExp, unknown]>([
			['reads a site', ONE_SITE, { Site_ID: 1001 }, /^Storvågen$/, [SITES[0]]],
			['reads a site with nothing to fill in', 'Home_site', {}, /^Kråkøya$/, [HOME_SITE]],
			['reads many sites', MANY_SITES, { Site_IDs: '1001, 4040, 1002' }, MANY_READ, ANY],
			['reads a list in brackets', MANY_SITES, { Site_IDs: '[1001,4040,1002]' }, MANY_READ, ANY],
			['reads units', 'Units', { Site_IDs: '1004' }, /^Nord \| Midt \| Sør$/, ANY],
			['finds no units', 'Units', { Site_IDs: '1020' }, NO_UNITS, ANY],
			['reads by a sub-workflow', SUB_WORKFLOW, { Site: 'Storvågen' }, /^Storvågen$/, [SITES[0]]],
			['fails in a sub-workflow', SUB_WORKFLOW, { Site: 'Storvåg' }, UNKNOWN_NAME, [NOT_FOUND]],
			['repeats that a site is not known', ONE_SITE, { Site_ID: 4040 }, UNKNOWN, FAILED],
			['repeats that an ID is no ID', ONE_SITE, { Site_ID: 1001.5 }, MALFORMED, FAILED],
			['repeats that a name is not known', MANY_SITES, { Site_IDs: 'Storvåg' }, NO_NAME, FAILED],
		])('an agent %s', async (_promise, name, parameters, answer, read) => {
			const said = await ask(name, parameters);

			expect(said).toMatch(answer);
			expect(JSON.parse(model.toolAnswer)).toEqual(read);
		});

		it('an agent is told why the service does not answer', async () => {
			emulator.fail({ route: 'site', fault: { kind: 'status', status: 403 } });

			await expect(ask('Home_site')).resolves.toContain(
				'This account has no right to read site Kråkøya (1002). Ask the operator',
			);
		});

		it('an agent is stopped by a failure where "On Error" of the tool says so', async () => {
			await expect(ask('Strict', { Site_ID: '4040' })).rejects.toMatchObject({
				response: { status: 500 },
			});
			expect(model.toolAnswer).toBe('');
		});
	});

	describe('in the editor', () => {
		let editor: Editor;

		beforeAll(async () => {
			editor = await Editor.open(stage, n8n);
		});

		const check = async (file: string, seen: Buffer) => {
			if (version === PICTURED_VERSION) await checkPicture(file, seen);
		};
		const question = 'What is the licence of Storvågen?';
		const name = 'Get a site in Aquaculture';
		const open = async (siteId?: string) => {
			const parameters = siteId ? { siteId: { __rl: true, mode: 'id', value: siteId } } : {};
			// So that the line to it is beside the button for another tool.
			const position: INode['position'] = [448, 220];
			const workflow = chatWorkflow('Questions', chat, [tool(name, parameters, { position })]);
			await editor.openWorkflow(await n8n.createWorkflow(workflow));
			await editor.part('canvas-node').filter({ hasText: name }).waitFor();
		};

		it('an agent answers a question in the chat of the editor', async () => {
			model.willUse({
				tool: ONE_SITE,
				parameters: { Site: 'Storvågen' },
				answer: (read) => {
					const [site] = read as Array<{ siteName: string; info: IDataObject }>;
					return `The licence of ${site?.siteName} is ${String(site?.info.license)}.`;
				},
			});
			await open(`={{ $fromAI('Site', '${SITE_TEXT}', 'string') }}`);
			await editor.ask(question);

			const chatPanel = editor.part('canvas-chat');
			await chatPanel.getByText('The licence of Storvågen is M-H-0101.').waitFor();
			await check('ai-agent-chat', await editor.picture('canvas-chat-body'));
			await check('ai-agent', await editor.nodesPicture(136));
		});

		it('a person adds a tool to an agent, which opens By ID, unlike the node', async () => {
			const id = await n8n.createWorkflow(chatWorkflow('Tools', chat, []));
			await editor.openWorkflow(id);
			await editor.openToolCreator();
			await editor.search('aquaculture');
			await editor.found('Aquaculture').click();
			await editor.part('rlc-mode-selector').waitFor();
			const mode = editor.part('rlc-mode-selector').locator('input');
			expect(await mode.inputValue()).toBe('By ID');

			await editor.choose('operation', 'Get Many Sites');
			await editor.field('siteIds').waitFor();
			expect(await editor.field('sites').inputValue()).toBe('By ID');
			await editor.closeNode();
			await editor.save();
			const stored = async () => await n8n.parametersOf(id, `${NODE_TYPE}Tool`);
			await until(async () => (await stored())?.operation === 'getManySites');
			expect(await stored()).not.toHaveProperty('sites');
		});

		it('a tool of an agent has our fields, and a button by which the model fills one in', async () => {
			await open();
			await editor.openNode(name);
			await editor.part('from-ai-override-button').first().click();
			await editor.page.getByText('Defined automatically by the model').waitFor();
			await editor.page.getByText('Add a description').click();
			const description = editor.part('selectable-list-slot-description').locator('textarea');
			await description.fill(SITE_TEXT);
			await description.blur();
			await editor.switch('includeUnits').waitFor();
			await check(
				'ai-agent-tool',
				await editor.picture('ndv', { left: 486, top: 42, width: 420, height: 404 }),
			);
		});
	});

	it('n8n has nothing to complain of after the answers of agents', async () => {
		await expect(n8n.home.complaints()).resolves.toEqual([]);
	});
});
