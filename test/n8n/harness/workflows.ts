import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject, INode, INodeCredentials, OnError } from 'n8n-workflow';

const EXAMPLES = path.resolve(__dirname, '../../../examples');

export const NODE_TYPE = 'n8n-nodes-aquaculture.aquaculture';
export const TRIGGER_TYPE = 'n8n-nodes-aquaculture.aquacultureTrigger';
export const CREDENTIAL_NAME = 'Aquaculture account';

export type TestWorkflow = Record<string, unknown> & {
	name: string;
	nodes: Array<Partial<INode>>;
};

/** How a node refers to a stored credential. */
export function credentialsOf(id: string): INodeCredentials {
	return { aquacultureApi: { id, name: CREDENTIAL_NAME } };
}

/** A node that reads the site that `id` of each item names. */
export function getSiteNode(
	credential: string,
	onError: OnError = 'stopWorkflow',
	options: Record<string, number> = {},
): NodeUnderTest {
	return {
		type: NODE_TYPE,
		credentials: credentialsOf(credential),
		onError,
		parameters: { operation: 'getSite', siteId: '={{ $json.id }}', includeUnits: false, options },
	};
}

/** The workflows of `examples/`, with this credential in all nodes that want one. */
export function exampleWorkflows(credential: string): TestWorkflow[] {
	return readdirSync(EXAMPLES)
		.filter((file) => file.endsWith('.json'))
		.map((file) => {
			const text = readFileSync(path.join(EXAMPLES, file), 'utf8');
			const workflow = JSON.parse(text) as TestWorkflow;
			for (const node of workflow.nodes) {
				if (node.credentials) node.credentials = credentialsOf(credential);
			}
			return workflow;
		});
}

type NodeUnderTest = Partial<INode> & { parameters: IDataObject };

/** The steps at the outputs of the node: that of what has been read, and that of what has failed. */
type Branch = 'Read' | 'Failed';

/**
 * A workflow of a webhook whose rows become items, a node, and a step at each of the node's outputs; the webhook
 * answers with the items of the step that runs last.
 *
 * @param last the step that n8n runs after the other one, if there is something for both.
 */
export function webhookWorkflow(
	webhook: string,
	node: NodeUnderTest,
	last: Branch = 'Failed',
): TestWorkflow {
	const trigger = step('Webhook', 'webhook', {
		path: webhook,
		httpMethod: 'POST',
		responseMode: 'lastNode',
		responseData: 'allEntries',
	});
	const { nodes, connections } = rowsThrough(node, 'body.rows', last);
	return {
		name: webhook,
		settings: { executionOrder: 'v1' },
		nodes: [{ ...trigger, typeVersion: 2, webhookId: webhook }, ...nodes],
		connections: { Webhook: { main: [to('Rows')] }, ...connections },
	};
}

/** A workflow that a person starts; these rows become the items of a node. */
export function manualWorkflow(rows: readonly unknown[], node: NodeUnderTest): TestWorkflow {
	const { nodes, connections } = rowsThrough(node, 'rows');
	return {
		name: 'Started by a person',
		settings: { executionOrder: 'v1' },
		nodes: [
			step('Start', 'manualTrigger'),
			{
				...step('Input', 'set', { mode: 'raw', jsonOutput: JSON.stringify({ rows }) }),
				typeVersion: 3.4,
			},
			...nodes,
		],
		connections: {
			Start: { main: [to('Input')] },
			Input: { main: [to('Rows')] },
			...connections,
		},
	};
}

/**
 * A workflow that the trigger starts. It polls every five seconds: n8n refuses a schedule of more than one poll a minute,
 * but not several schedules.
 *
 * @param settings settings of the workflow, such as its error workflow.
 */
export function triggerWorkflow(
	name: string,
	credential: string,
	parameters: IDataObject,
	settings: IDataObject = {},
): TestWorkflow {
	const SECONDS = Array.from({ length: 12 }, (_, index) => index * 5);
	const item = SECONDS.map((second) => ({
		mode: 'custom',
		cronExpression: `${second} * * * * *`,
	}));
	const trigger = step('Trigger', '', { pollTimes: { item }, ...parameters });
	return {
		name,
		settings: { executionOrder: 'v1', ...settings },
		nodes: [
			{ ...trigger, type: TRIGGER_TYPE, credentials: credentialsOf(credential) },
			step('Read', 'noOp'),
		],
		connections: { Trigger: { main: [to('Read')] } },
	};
}

/** A workflow that n8n runs when another one fails. */
export function errorWorkflow(): TestWorkflow {
	return {
		name: 'On failure',
		settings: { executionOrder: 'v1' },
		nodes: [step('Failure', 'errorTrigger'), step('Read', 'noOp')],
		connections: { Failure: { main: [to('Read')] } },
	};
}

function rowsThrough(node: NodeUnderTest, field: string, last: Branch = 'Failed') {
	// n8n runs the branch that is lower on the canvas after the other one.
	const branch = (name: Branch) => ({
		...step(name, 'noOp'),
		position: [0, name === last ? 200 : 0] as [number, number],
	});
	return {
		nodes: [
			step('Rows', 'splitOut', { fieldToSplitOut: field }),
			{ id: 'Node', name: 'Node', typeVersion: 1, position: [0, 0] as [number, number], ...node },
			branch('Read'),
			branch('Failed'),
		],
		connections: {
			Rows: { main: [to('Node')] },
			Node: { main: [to('Read'), to('Failed')] },
		},
	};
}

function step(name: string, type: string, parameters: IDataObject = {}): Partial<INode> {
	return {
		id: name,
		name,
		type: `n8n-nodes-base.${type}`,
		typeVersion: 1,
		position: [0, 0],
		parameters: parameters as INode['parameters'],
	};
}

const to = (name: string) => [{ node: name, type: 'main', index: 0 }];
