import type { IDataObject, INode, OnError } from 'n8n-workflow';
import { CREDENTIAL_NAME, credentialsOf, type NewWorkflow } from './n8n/instance';

export const NODE_TYPE = 'n8n-nodes-aquaculture.aquaculture';
export const TRIGGER_TYPE = 'n8n-nodes-aquaculture.aquacultureTrigger';

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

/** n8n's own node, which sends a request with the credential to the address that `url` of each item names. */
export function httpRequestNode(
	credential: string,
	onError: OnError = 'stopWorkflow',
): NodeUnderTest {
	return {
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		credentials: credentialsOf(credential),
		onError,
		parameters: {
			url: '={{ $json.url }}',
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'aquacultureApi',
		},
	};
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
): NewWorkflow {
	const { nodes, connections } = rowsThrough(node, 'body.rows', last);
	return {
		name: webhook,
		settings: { executionOrder: 'v1' },
		nodes: [webhookStep(webhook), ...nodes],
		connections: { Webhook: { main: [to('Rows')] }, ...connections },
	};
}

/** A workflow that a person starts; these rows become the items of a node. */
export function manualWorkflow(rows: readonly unknown[], node: NodeUnderTest): NewWorkflow {
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
 * A workflow of a webhook that hands the question in its first row to an AI agent with this chat model and these tools;
 * the webhook answers with what the agent says.
 *
 * @param agentVersion 2.2 calls tools itself, 3 has n8n run them as steps (n8n 1.123 and 2.40).
 */
export function agentWorkflow(
	webhook: string,
	agentVersion: number,
	model: string,
	tools: Array<Partial<INode> & { name: string }>,
): NewWorkflow {
	const langchain = '@n8n/n8n-nodes-langchain';
	const attached = (type: string) => ({ [type]: [[{ node: 'AI Agent', type, index: 0 }]] });
	return {
		name: webhook,
		settings: { executionOrder: 'v1' },
		nodes: [
			{ ...webhookStep(webhook), position: [0, 0] },
			{
				...step('AI Agent', 'agent', { promptType: 'define', text: '={{ $json.body.rows[0] }}' }),
				type: `${langchain}.agent`,
				typeVersion: agentVersion,
				position: [220, 0],
			},
			{
				...step('Chat Model', 'lmChatOpenAi', {
					model: { __rl: true, mode: 'id', value: 'scripted' },
				}),
				type: `${langchain}.lmChatOpenAi`,
				typeVersion: 1.2,
				position: [140, 220],
				credentials: { openAiApi: { id: model, name: CREDENTIAL_NAME } },
			},
			...tools.map((tool, index) => ({
				id: tool.name,
				type: `${NODE_TYPE}Tool`,
				typeVersion: 1,
				position: [320 + 180 * index, 220] as [number, number],
				...tool,
			})),
		],
		connections: {
			Webhook: { main: [to('AI Agent')] },
			'Chat Model': attached('ai_languageModel'),
			...Object.fromEntries(tools.map(({ name }) => [name, attached('ai_tool')])),
		},
	};
}

function webhookStep(webhook: string): Partial<INode> {
	const parameters = {
		path: webhook,
		httpMethod: 'POST',
		responseMode: 'lastNode',
		responseData: 'allEntries',
	};
	return { ...step('Webhook', 'webhook', parameters), typeVersion: 2, webhookId: webhook };
}

/** Seconds of a minute, five apart. */
const SECONDS = Array.from({ length: 12 }, (_, index) => index * 5);

/** Has n8n poll at these seconds of every minute. */
export function pollTimesOf(seconds: readonly number[]): IDataObject {
	return {
		item: seconds.map((second) => ({ mode: 'custom', cronExpression: `${second} * * * * *` })),
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
): NewWorkflow {
	const trigger = step('Trigger', '', { pollTimes: pollTimesOf(SECONDS), ...parameters });
	return {
		name,
		settings: { executionOrder: 'v1', ...settings },
		nodes: [
			{ ...trigger, type: TRIGGER_TYPE, credentials: credentialsOf(credential) },
			{ ...step('Read', 'noOp'), position: [220, 0] },
		],
		connections: { Trigger: { main: [to('Read')] } },
	};
}

/** A workflow that n8n runs when another one fails. */
export function errorWorkflow(): NewWorkflow {
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
