import type { IConnections, IDataObject, INode, INodeCredentials, OnError } from 'n8n-workflow';

export const NODE_TYPE = 'n8n-nodes-aquaculture.aquaculture';
export const TRIGGER_TYPE = 'n8n-nodes-aquaculture.aquacultureTrigger';

export const CREDENTIAL_NAME = 'Aquaculture account';

/** Returns a node's reference to a stored credential. */
export function credentialRef(id: string): INodeCredentials {
	return { aquacultureApi: { id, name: CREDENTIAL_NAME } };
}

/** A workflow that n8n has not stored yet. */
export type NewWorkflow = Record<string, unknown> & {
	name: string;
	nodes: INode[];
	connections: IConnections;
};

/** A node; {@link workflow} adds a missing position. */
export type Step = Omit<INode, 'position'> & Partial<Pick<INode, 'position'>>;

/**
 * Creates a node of version 1 with its name as its ID.
 *
 * @param type one of n8n's own (`n8n-nodes-base`) if it names no package.
 * @param settings override the defaults, such as `typeVersion`, `credentials` or `onError`.
 */
export function step(
	name: string,
	type: string,
	parameters: IDataObject = {},
	settings: Partial<INode> = {},
): Step {
	return {
		id: name,
		name,
		type: type.includes('.') ? type : `n8n-nodes-base.${type}`,
		typeVersion: 1,
		parameters: parameters as INode['parameters'],
		...settings,
	};
}

/**
 * Builds a workflow of steps in a row, each of which passes its items to the next one.
 *
 * ```ts
 * workflow('Sites', [step('Start', 'manualTrigger'), step('Aquaculture', NODE_TYPE, { siteId: '1001' })]);
 * ```
 *
 * `n8n import:workflow` also needs `id` and `active: false`.
 *
 * @param row a list holds the steps at the outputs of the one before; the row continues from the first of them.
 * @param settings of the workflow, such as its error workflow.
 */
export function workflow(
	name: string,
	row: ReadonlyArray<Step | readonly Step[]>,
	settings: IDataObject = {},
): NewWorkflow {
	const columns = row.map((entry) => [entry].flat());
	const connections: IConnections = {};
	for (const [index, next] of columns.slice(1).entries()) {
		const from = columns[index]?.[0]?.name ?? '';
		connections[from] = {
			main: next.map((to) => [{ node: to.name, type: 'main', index: 0 }]),
		};
	}
	const nodes = columns.flatMap((steps, column) =>
		steps.map((node, line): INode => ({ position: [220 * column, 220 * line], ...node })),
	);
	return { name, settings: { executionOrder: 'v1', ...settings }, nodes, connections };
}

export type NodeUnderTest = Partial<Omit<INode, 'parameters'>> & {
	type: string;
	parameters: IDataObject;
};

/** Reads the site that `id` of each item names. */
export function getSiteNode(credential: string, onError: OnError = 'stopWorkflow'): NodeUnderTest {
	return {
		type: NODE_TYPE,
		credentials: credentialRef(credential),
		onError,
		parameters: { operation: 'getSite', siteId: '={{ $json.id }}', includeUnits: false },
	};
}

/** Sends a request with the credential to the `url` of each item. */
export function httpRequestNode(
	credential: string,
	onError: OnError = 'stopWorkflow',
): NodeUnderTest {
	return {
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		credentials: credentialRef(credential),
		onError,
		parameters: {
			url: '={{ $json.url }}',
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'aquacultureApi',
		},
	};
}

/**
 * Builds a webhook whose rows become items, a node, and the steps "Read" and "Failed" at the node's outputs. The webhook
 * answers with the items of the last step: "Failed" if both outputs have items.
 */
export function webhookWorkflow(webhook: string, node: NodeUnderTest): NewWorkflow {
	return workflow(webhook, [webhookStep(webhook), ...rowsThrough(node, 'body.rows')]);
}

/** Builds a workflow that a person starts, with these rows as the items of a node. */
export function manualWorkflow(rows: readonly unknown[], node: NodeUnderTest): NewWorkflow {
	const parameters = { mode: 'raw', jsonOutput: JSON.stringify({ rows }) };
	return workflow('Started by a person', [
		step('Start', 'manualTrigger'),
		step('Input', 'set', parameters, { typeVersion: 3.4 }),
		...rowsThrough(node, 'rows'),
	]);
}

const LANGCHAIN = '@n8n/n8n-nodes-langchain';

/**
 * Builds a webhook that passes the question in its first row to an AI agent and answers with the agent's output.
 *
 * @param agentVersion 2.2 calls tools itself, 3 has n8n run them as steps.
 */
export function agentWorkflow(
	webhook: string,
	agentVersion: number,
	model: string,
	tools: Array<Partial<INode> & { name: string }>,
): NewWorkflow {
	const question = { promptType: 'define', text: '={{ $json.body.rows[0] }}' };
	const agent = step('AI Agent', `${LANGCHAIN}.agent`, question, { typeVersion: agentVersion });
	const scripted = { model: { __rl: true, mode: 'id', value: 'scripted' } };
	const chatModel = step('Chat Model', `${LANGCHAIN}.lmChatOpenAi`, scripted, {
		typeVersion: 1.2,
		credentials: { openAiApi: { id: model, name: CREDENTIAL_NAME } },
	});
	const { nodes, connections, ...rest } = workflow(webhook, [webhookStep(webhook), agent]);
	const attached = (type: 'ai_languageModel' | 'ai_tool') => ({
		[type]: [[{ node: 'AI Agent', type, index: 0 }]],
	});
	return {
		...rest,
		nodes: [
			...nodes,
			{ ...chatModel, position: [140, 220] },
			...tools.map(
				(tool, index): INode => ({
					...step(tool.name, `${NODE_TYPE}Tool`),
					position: [320 + 180 * index, 220],
					...tool,
				}),
			),
		],
		connections: {
			...connections,
			'Chat Model': attached('ai_languageModel'),
			...Object.fromEntries(tools.map(({ name }) => [name, attached('ai_tool')])),
		},
	};
}

/** Polls at these seconds of every minute. n8n refuses one schedule of several polls a minute, but not several schedules. */
export function pollTimesOf(seconds: readonly number[]): IDataObject {
	return {
		item: seconds.map((second) => ({ mode: 'custom', cronExpression: `${second} * * * * *` })),
	};
}

/** Builds a workflow whose trigger polls every five seconds. */
export function triggerWorkflow(
	name: string,
	credential: string,
	parameters: IDataObject,
	settings: IDataObject = {},
): NewWorkflow {
	const pollTimes = pollTimesOf(Array.from({ length: 12 }, (_, index) => index * 5));
	const credentials = credentialRef(credential);
	const trigger = step('Trigger', TRIGGER_TYPE, { pollTimes, ...parameters }, { credentials });
	return workflow(name, [trigger, step('Read', 'noOp')], settings);
}

export function errorWorkflow(): NewWorkflow {
	return workflow('On failure', [step('Failure', 'errorTrigger'), step('Read', 'noOp')]);
}

function webhookStep(webhook: string): Step {
	const parameters = {
		path: webhook,
		httpMethod: 'POST',
		responseMode: 'lastNode',
		responseData: 'allEntries',
	};
	return step('Webhook', 'webhook', parameters, { typeVersion: 2, webhookId: webhook });
}

function rowsThrough({ type, parameters, ...settings }: NodeUnderTest, field: string) {
	return [
		step('Rows', 'splitOut', { fieldToSplitOut: field }),
		step('Node', type, parameters, settings),
		// n8n runs the lower branch on the canvas last.
		[step('Read', 'noOp'), step('Failed', 'noOp')],
	];
}
