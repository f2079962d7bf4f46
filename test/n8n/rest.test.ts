import type { IDataObject, INodeTypeDescription } from 'n8n-workflow';
import { DEMO_ACCOUNT, Emulator } from '../../emulator/server';
import { itemsOf } from '../../testbed/n8n/instance';
import { useN8n } from '../../testbed/jest/useN8n';
import { until } from '../../testbed/wait';
import {
	errorWorkflow,
	getSiteNode,
	httpRequestNode,
	manualWorkflow,
	NODE_TYPE,
	TRIGGER_TYPE,
	webhookWorkflow,
	type NodeUnderTest,
} from '../../testbed/workflows';

// Slow: starts n8n.

const SUCCESS = { status: 'OK', message: 'Connection successful!' };
const TRICKY = {
	username: 'tricky',
	password: `"q" \\ $x {{ 1 + 1 }} ørret 鮭 ${'x'.repeat(4000)}`,
};

const accounts = {
	[DEMO_ACCOUNT.username]: DEMO_ACCOUNT.password,
	[TRICKY.username]: TRICKY.password,
};
const { cleanup, emulator, n8n } = useN8n({ latencyMs: 10, latencyJitter: 0.4, accounts });
let elsewhere: Emulator;
let credential: string;

beforeAll(async () => {
	elsewhere = await cleanup.use(new Emulator().start());
	const withSlash = { ...emulator.credential, baseUrl: `${emulator.baseUrl}/` };
	credential = await n8n.createCredential(withSlash);
});
beforeEach(() => {
	emulator.reset();
	elsewhere.reset();
});

/** Runs a node with these rows, and returns its items. */
const run = async (rows: object[], node: NodeUnderTest) => {
	const execution = await n8n.runManually(await n8n.createWorkflow(manualWorkflow(rows, node)));
	return itemsOf(execution, 'Node').map(({ json }) => json);
};

it('n8n serves node, tool, trigger, icons and schema, and adds Custom API Call', async () => {
	const nodes = await n8n.get<INodeTypeDescription[]>('/types/nodes.json');
	const own = nodes.filter(({ name }) => name.includes('aquaculture'));
	const fields = own.find(({ name }) => name === NODE_TYPE)?.properties ?? [];
	const operations = fields.filter(({ name }) => name === 'operation');

	expect(own.map(({ name }) => name).sort()).toEqual([NODE_TYPE, `${NODE_TYPE}Tool`, TRIGGER_TYPE]);
	expect(operations.map(({ options }) => options?.at(-1))).toEqual(
		Array(2).fill({ name: 'Custom API Call', value: '__CUSTOM_API_CALL__' }),
	);
	await n8n.get('/icons/n8n-nodes-aquaculture/dist/icons/aquaculture.svg');
	await n8n.get('/icons/n8n-nodes-aquaculture/dist/icons/aquaculture.dark.svg');
	await expect(n8n.get(`/schemas/${NODE_TYPE}/1.0.0/site/getSite.json`)).resolves.toMatchObject({
		properties: { siteId: { type: 'integer' } },
	});
});

it('n8n tells the error workflow that an execution has reached its time limit', async () => {
	emulator.fail({ route: 'site', siteId: 1002, fault: { kind: 'hang' } });
	const failures = await n8n.createWorkflow(errorWorkflow());
	await n8n.activate(failures);
	const limits = { executionTimeout: 3, errorWorkflow: failures };
	const { settings, ...made } = webhookWorkflow('limited', getSiteNode(credential));
	await n8n.addWebhook({ ...made, settings: { ...(settings as IDataObject), ...limits } });

	await n8n.callWebhook('limited', [{ id: 1001 }, { id: 1002 }]).catch(() => undefined);
	await until(async () => (await n8n.executionsOf(failures)).length > 0);

	const [failure] = await n8n.executionsOf(failures);
	expect(failure?.data).toContain('timed out');
});

describe('the HTTP Request node', () => {
	/** Requests these addresses with the node, and returns its items. */
	const request = async (urls: string[], parameters: IDataObject = {}) => {
		const node = httpRequestNode(credential, 'continueRegularOutput');
		Object.assign(node.parameters, parameters);
		return await run(
			urls.map((url) => ({ url })),
			node,
		);
	};

	it('refuses other origins, and does not follow redirects', async () => {
		const location = `${elsewhere.baseUrl}/data/feed`;
		emulator.fail({
			route: 'site',
			fault: { kind: 'status', status: 302, headers: { location } },
		});

		const [other, redirected] = await request([location, `${emulator.baseUrl}/meta/sites/1001`]);

		const message = 'The request goes to an address that this credential is not for';
		expect(other).toMatchObject({
			error: { message: expect.stringContaining(message) as unknown },
		});
		expect(redirected).toHaveProperty('error');
		expect(elsewhere.journal.requests).toEqual([]);
	});

	it('signs the requests of its pagination', async () => {
		const next = { name: 'page', value: '={{ $pageCount + 1 }}' };
		const pagination = {
			parameters: { parameters: [next] },
			limitPagesFetched: true,
			maxRequests: 3,
		};
		const items = await request([`${emulator.baseUrl}/data/feed`], {
			options: { pagination: { pagination } },
		});

		expect(items.map(({ path: read }) => read)).toEqual(
			[1, 2, 3].map((page) => `/data/feed?page=${page}`),
		);
	});

	it('returns a 401 and keeps its token with Never Error', async () => {
		const url = `${emulator.baseUrl}/meta/sites/1001`;
		const options = { response: { response: { fullResponse: true, neverError: true } } };
		await request([url]);
		emulator.reset();
		emulator.fail({ route: 'site', fault: { kind: 'status', status: 401 } });

		await expect(request([url], { options })).resolves.toMatchObject([{ statusCode: 401 }]);
		expect(emulator.journal.requests.map(({ route }) => route)).toEqual(['site']);
	});
});

it('a service outside Allowed HTTP Request Domains gets no request', async () => {
	const read = async (allowedDomains: string) => {
		const domains = { allowedHttpRequestDomains: 'domains', allowedDomains };
		const limited = await n8n.createCredential({ ...emulator.credential, ...domains });
		return await run([{ id: 1001 }], getSiteNode(limited, 'continueRegularOutput'));
	};

	await expect(read('example.com')).resolves.toMatchObject([
		{ error: `'Allowed HTTP Request Domains' in the credential leaves out ${emulator.baseUrl}` },
	]);
	expect(emulator.journal.requests).toEqual([]);
	await expect(read('example.com, 127.0.0.1')).resolves.toMatchObject([{ siteId: 1001 }]);
});

it('username and password reach the service unchanged, and neither editor, log nor database', async () => {
	const edited = await n8n.createCredential(emulator.credential);
	await run([{ id: 1001 }], getSiteNode(edited));
	await n8n.editCredential(edited, TRICKY);
	emulator.reset();
	await run([{ id: 1001 }], getSiteNode(edited));

	expect(JSON.parse(emulator.journal.of('token')[0]?.body ?? '')).toEqual(TRICKY);
	await expect(n8n.testCredential(edited)).resolves.toEqual(SUCCESS);
	const blanked = await n8n.credentialInEditor(edited);
	const written = [JSON.stringify(blanked), await n8n.home.log(), await n8n.home.database()];
	const secrets = [...emulator.tokens.issued, DEMO_ACCOUNT.password, TRICKY.password];
	expect(secrets.length).toBeGreaterThan(3);
	expect(secrets.filter((secret) => written.some((text) => text.includes(secret)))).toEqual([]);
	expect(blanked.accessToken ?? '').toBe('');
});
