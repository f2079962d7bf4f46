import type { IConnections, IDataObject, INode, INodeCredentials, OnError } from 'n8n-workflow';

export const NODE_TYPE = 'n8n-nodes-aquaculture.aquaculture';
export const TRIGGER_TYPE = 'n8n-nodes-aquaculture.aquacultureTrigger';

export const CREDENTIAL_NAME = 'Aquaculture account';

/** How a node refers to a stored credential. */
export function credentialsOf(id: string): INodeCredentials {
	return { aquacultureApi: { id, name: CREDENTIAL_NAME } };
}

/** A workflow as the editor saves it for the first time, and as n8n's engine runs it. */
export type NewWorkflow = Record<string, unknown> & {
	name: string;
	nodes: INode[];
	connections: IConnections;
};

/** A node of a workflow; {@link workflow} finds a place on the canvas for one that has none. */
export type Step = Omit<INode, 'position'> & Partial<Pick<INode, 'position'>>;

/**
 * A node with n8n's defaults: version 1, and its name as its ID.
 *
 * @param type without a package, such as `noOp`, is one of n8n's own (`n8n-nodes-base`).
 * @param settings what is different from the defaults, such as `typeVersion`, `credentials` or `onError`.
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
 * Builds every workflow of tests and benchmark: steps in a row, each of which hands its items to the next one.
 *
 * ```ts
 * workflow('Sites', [step('Start', 'manualTrigger'), step('Aquaculture', NODE_TYPE, { siteId: '1001' })]);
 * ```
 *
 * `n8n import:workflow` also wants `id` and `active: false`, which can be spread beside it.
 *
 * @param row a list in place of a step holds the steps at the outputs of the one before it. The row goes on from the
 * first of them.
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

/** The node that a workflow is about. */
export type NodeUnderTest = Partial<Omit<INode, 'parameters'>> & {
	type: string;
	parameters: IDataObject;
};

/** A node that reads the site that `id` of each item names. */
export function getSiteNode(credential: string, onError: OnError = 'stopWorkflow'): NodeUnderTest {
	return {
		type: NODE_TYPE,
		credentials: credentialsOf(credential),
		onError,
		parameters: { operation: 'getSite', siteId: '={{ $json.id }}', includeUnits: false },
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

/**
 * A workflow of a webhook whose rows become items, a node, and the steps "Read" and "Failed" at the node's outputs; the
 * webhook answers with the items of the step that runs last, which is "Failed" if there is something for both.
 */
export function webhookWorkflow(webhook: string, node: NodeUnderTest): NewWorkflow {
	return workflow(webhook, [webhookStep(webhook), ...rowsThrough(node, 'body.rows')]);
}

/** A workflow that a person starts; these rows become the items of a node. */
export function manualWorkflow(rows: readonly unknown[], node: NodeUnderTest): NewWorkflow {
	const parameters = { mode: 'raw', jsonOutput: JSON.stringify({ rows }) };
	return workflow('Started by a person', [
		step('Start', 'manualTrigger'),
		step('Input', 'set', parameters, { typeVersion: 3.4 }),
		...rowsThrough(node, 'rows'),
	]);
}

const LANGCHAIN = '@n8n/n8n-nodes-langchain';

/** An AI agent's tool, with what is different from a node with n8n's defaults. */
type AgentTool = Partial<INode> & { name: string };

/**
 * A workflow of a webhook that hands the question in its first row to an AI agent with this chat model and these tools;
 * the webhook answers with what the agent says.
 *
 * @param agentVersion 2.2 calls tools itself, 3 has n8n run them as steps (docs/architecture.md, n8n 15).
 */
export function agentWorkflow(
	webhook: string,
	agentVersion: number,
	model: string,
	tools: AgentTool[],
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

/** Has n8n poll at these seconds of every minute: it refuses a schedule of more than one poll a minute, but not several schedules. */
export function pollTimesOf(seconds: readonly number[]): IDataObject {
	return {
		item: seconds.map((second) => ({ mode: 'custom', cronExpression: `${second} * * * * *` })),
	};
}

/**
 * A workflow that the trigger starts. It polls every five seconds.
 *
 * @param settings of the workflow, such as its error workflow.
 */
export function triggerWorkflow(
	name: string,
	credential: string,
	parameters: IDataObject,
	settings: IDataObject = {},
): NewWorkflow {
	const pollTimes = pollTimesOf(Array.from({ length: 12 }, (_, index) => index * 5));
	const trigger = step(
		'Trigger',
		TRIGGER_TYPE,
		{ pollTimes, ...parameters },
		{ credentials: credentialsOf(credential) },
	);
	return workflow(name, [trigger, step('Read', 'noOp')], settings);
}

/** A workflow that n8n runs when another one fails. */
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
		// n8n runs the branch that is lower on the canvas after the other one.
		[step('Read', 'noOp'), step('Failed', 'noOp')],
	];
}
