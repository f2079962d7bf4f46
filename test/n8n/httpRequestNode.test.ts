import type { IDataObject, INode } from 'n8n-workflow';
import type { Fault } from '../../emulator/faults';
import { useN8n } from '../../testbed/jest/useN8n';
import { httpRequestNode, webhookWorkflow } from '../../testbed/workflows';

// Slow: starts n8n.

const { emulator, n8n } = useN8n();
let webhooks = 0;

beforeEach(() => emulator.reset());

/** Creates an account, and a webhook that sends its rows through an HTTP Request node. Returns a function that calls it. */
async function httpNode(parameters: IDataObject = {}, settings: Partial<INode> = {}) {
	const username = `staff-${++webhooks}`;
	emulator.settings.accounts[username] = 'fjord-and-salmon';
	const credential = await n8n.createCredential({ ...emulator.credential, username });
	const node = httpRequestNode(credential, 'continueRegularOutput');
	Object.assign(node.parameters, { url: `${emulator.baseUrl}/data/feed`, ...parameters });
	await n8n.addWebhook(webhookWorkflow(username, { ...node, ...settings }));
	return async (rows: IDataObject[] = [{}]) => await n8n.callWebhook<IDataObject[]>(username, rows);
}

const statuses = () => emulator.journal.of('other').map(({ status }) => status);
const logins = () => emulator.journal.count('token');

it.each<Fault>([{ kind: 'status', status: 500 }, { kind: 'hang' }])(
	'a failed POST, PUT or DELETE is not retried: %j',
	async (fault) => {
		const send = await httpNode({
			method: '={{ $json.method }}',
			sendBody: true,
			bodyParameters: { parameters: [{ name: 'a', value: '1' }] },
			options: { timeout: 5000 },
		});
		emulator.fail({ route: 'other', fault });

		const items = await send(['POST', 'PUT', 'DELETE'].map((method) => ({ method })));

		expect(items).toEqual(Array(3).fill({ error: expect.anything() as unknown }));
		expect(statuses()).toHaveLength(3);
	},
);

it.each([
	['without Retry On Fail, the next execution', {}, [200, 401, 200]],
	[
		'with Retry On Fail, the second try',
		{ retryOnFail: true, waitBetweenTries: 100 },
		[200, 401, 200, 200],
	],
])('after a revocation, %s has a new token', async (_how, settings, expected) => {
	const send = await httpNode({}, settings);
	await send();
	emulator.tokens.revokeAll();

	await send();
	await send();

	expect(statuses()).toEqual(expected);
	expect(logins()).toBe(2);
});

it('the HTTP Request node can download a file', async () => {
	const response = { response: { responseFormat: 'file' } };
	const send = await httpNode({ options: { response } });

	const items = await send();

	expect(items).toHaveLength(1);
	expect(items[0]).not.toHaveProperty('error');
	expect(statuses()).toEqual([200]);
});

it('a token in the credential is not sent, and n8n says why', async () => {
	const credential = await n8n.createCredential({
		...emulator.credential,
		accessToken: 'from-elsewhere',
	});
	const node = httpRequestNode(credential, 'continueRegularOutput');
	node.parameters.url = `${emulator.baseUrl}/data/feed`;
	await n8n.addWebhook(webhookWorkflow('filled', node));

	const items = await n8n.callWebhook('filled', [{}]);

	expect(JSON.stringify(items)).toContain("The credential contains an 'Access Token'");
	expect(emulator.journal.requests).toEqual([]);
});
