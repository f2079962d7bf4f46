import './n8nEnvironment';
import path from 'node:path';
import {
	CredentialTestContext,
	ExecutionLifecycleHooks,
	PackageDirectoryLoader,
	PollContext,
	WorkflowExecute,
} from 'n8n-core';
import {
	NodeConnectionTypes,
	Workflow,
	type ICredentialTestFunction,
	type ICredentialType,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeCredentialTestResult,
	type INodeExecutionData,
	type INodeProperties,
	type INodeType,
	type INodeTypeDescription,
	type INodeTypes,
	type IPollFunctions,
	type IRun,
	type IWorkflowBase,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { NODE_TYPE, step, TRIGGER_TYPE, type Step } from '../workflows';
import { CredentialStore } from './credentialStore';

type WorkflowFile = Pick<IWorkflowBase, 'nodes' | 'connections'>;

export interface RunOptions {
	/** Default: one empty item. */
	items?: INodeExecutionData[];
	/** Called when the execution has started. */
	onStart?: (execution: { cancel(): void }) => void;
}

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

interface LogEntry {
	level: (typeof LOG_LEVELS)[number];
	message: string;
	details: unknown;
}

/** n8n's logger is a singleton of the process. */
const LOG: LogEntry[] = [];

const CREDENTIAL = 'aquacultureApi';

/** n8n-core ships no nodes. */
class ManualTrigger implements INodeType {
	description = describeNode('manualTrigger', []);

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [this.getInputData()];
	}
}

/** Stubs n8n's HTTP Request node: sends a request for each item, with the same helper or with the newer one. */
class HttpRequest implements INodeType {
	description = describeNode(
		'httpRequest',
		[NodeConnectionTypes.Main],
		[
			{ displayName: 'URL', name: 'url', type: 'string', default: '' },
			{ displayName: 'Headers', name: 'headers', type: 'json', default: {} },
			{ displayName: 'Options', name: 'options', type: 'json', default: {} },
			{ displayName: 'Newer Helper', name: 'newerHelper', type: 'boolean', default: false },
		],
	);

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const { requestWithAuthentication, httpRequestWithAuthentication } = this.helpers;
		const isNewer = this.getNodeParameter('newerHelper', 0, false) === true;
		const send = async (itemIndex: number): Promise<unknown> => {
			const url = this.getNodeParameter('url', itemIndex) as string;
			const options = {
				method: 'GET' as const,
				headers: this.getNodeParameter('headers', itemIndex) as IDataObject,
				json: true,
				...(this.getNodeParameter('options', itemIndex, {}) as IDataObject),
			};
			if (isNewer) {
				return await httpRequestWithAuthentication.call(this, CREDENTIAL, { url, ...options });
			}
			const redirects = { followRedirect: true, followAllRedirects: true };
			const request = { uri: url, ...redirects, ...options };
			return await requestWithAuthentication.call(this, CREDENTIAL, request, undefined, itemIndex);
		};
		const sent = this.getInputData().map(async (_item, itemIndex) => ({
			json: (await send(itemIndex)) as IDataObject,
			pairedItem: { item: itemIndex },
		}));
		// n8n's own node waits for all of them, too (n8n 1.123 and 2.40).
		await Promise.allSettled(sent);
		return [await Promise.all(sent)];
	}
}

function describeNode(
	name: string,
	inputs: INodeTypeDescription['inputs'],
	properties: INodeProperties[] = [],
): INodeTypeDescription {
	return {
		name,
		displayName: name,
		description: name,
		defaults: { name },
		group: ['output'],
		version: 1,
		inputs,
		outputs: [NodeConnectionTypes.Main],
		properties,
	};
}

interface SavedWorkflow {
	id?: string;
	staticData?: IDataObject;
}

/** Runs workflows in n8n's engine with the built package, loaded by n8n's own loader. */
export class Engine {
	readonly credentials: CredentialStore;

	/** `$vars` in expressions. */
	variables: IDataObject = {};

	/** Shared by all engines of the process. */
	readonly log = LOG;

	private constructor(private readonly loader: PackageDirectoryLoader) {
		this.credentials = new CredentialStore(this.credentialType);
	}

	static async load(): Promise<Engine> {
		const loader = new PackageDirectoryLoader(path.resolve(__dirname, '../..'));
		await loader.loadAll();
		const engine = new Engine(loader);
		engine.captureLog();
		return engine;
	}

	get nodeType(): INodeType {
		return this.loader.getNode('aquaculture').type as INodeType;
	}

	get triggerType(): INodeType {
		return this.loader.getNode('aquacultureTrigger').type as INodeType;
	}

	get credentialType(): ICredentialType {
		return this.loader.getCredential('aquacultureApi').type;
	}

	logMessages(level: LogEntry['level']): string[] {
		return LOG.filter((entry) => entry.level === level).map(({ message }) => message);
	}

	/** Runs a workflow from its manual trigger. */
	async run(
		file: WorkflowFile,
		{ items = [{ json: {} }], onStart }: RunOptions = {},
	): Promise<IRun> {
		const workflow = createWorkflow(file, this.nodeTypes());
		const trigger = file.nodes.find(({ type }) => type.endsWith('.manualTrigger'));
		const execution = new WorkflowExecute(createAdditionalData(this), 'manual');
		const run = execution.run({
			workflow,
			pinData: trigger ? { [trigger.name]: structuredClone(items) } : {},
		});
		onStart?.(run);
		return await run;
	}

	/** Creates the context that n8n creates when it activates a trigger or fetches a test event. */
	pollContext(
		trigger: Step,
		mode: 'trigger' | 'manual',
		saved: SavedWorkflow = {},
		onError: (error: Error) => void = () => {},
	): { workflow: Workflow; context: IPollFunctions; node: INode } {
		const file = { nodes: [{ ...trigger, position: [0, 0] }], connections: {} };
		const workflow = createWorkflow(file as WorkflowFile, this.nodeTypes(), saved);
		const node = workflow.getNode(trigger.name) as INode;
		const context = new PollContext(
			workflow,
			node,
			createAdditionalData(this),
			mode,
			mode === 'manual' ? 'manual' : 'activate',
			() => {},
			onError,
		);
		return { workflow, context: context as unknown as IPollFunctions, node };
	}

	/** Runs the node's test for the credential. Like n8n, it offers only the older HTTP helper (1.123 and 2.40). */
	async testCredential(id: string): Promise<INodeCredentialTestResult> {
		const { description, methods } = this.nodeType;
		const testedBy = description.credentials?.[0]?.testedBy;
		const test = methods?.credentialTest?.[String(testedBy)] as ICredentialTestFunction;
		const name = '';
		const data = await this.credentials.getDecrypted(undefined, { id, name });
		const credential = { id, name, type: this.credentialType.name, data };
		return await test.call(new CredentialTestContext(), credential);
	}

	private captureLog(): void {
		const { logger } = this.pollContext(step('Test', TRIGGER_TYPE), 'manual').context;
		for (const level of LOG_LEVELS) {
			logger[level] = (message, details) => LOG.push({ level, message, details });
		}
	}

	private nodeTypes(): INodeTypes {
		const types: Record<string, INodeType> = {
			'n8n-nodes-base.manualTrigger': new ManualTrigger(),
			'n8n-nodes-base.httpRequest': new HttpRequest(),
			[NODE_TYPE]: this.nodeType,
			[`${NODE_TYPE}Tool`]: createToolType(this.nodeType),
			[TRIGGER_TYPE]: this.triggerType,
		};
		const find = (type: string) => types[type] as INodeType;
		return { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) };
	}
}

/** Like n8n, copies the description of a node for its tool, with a name that ends in `Tool`. */
function createToolType(nodeType: INodeType): INodeType {
	const description = { ...nodeType.description, name: `${nodeType.description.name}Tool` };
	return Object.create(nodeType, { description: { value: description } }) as INodeType;
}

function createWorkflow(
	{ nodes, connections }: WorkflowFile,
	nodeTypes: INodeTypes,
	{ id = 'workflow', staticData = {} }: SavedWorkflow = {},
): Workflow {
	return new Workflow({
		id,
		nodes: structuredClone(nodes),
		connections,
		active: false,
		nodeTypes,
		staticData,
		settings: { executionOrder: 'v1' },
	});
}

function createAdditionalData(engine: Engine): IWorkflowExecuteAdditionalData {
	const workflow = { id: 'workflow', name: 'workflow', nodes: [], connections: {} };
	const address = 'http://127.0.0.1:5678';
	return {
		credentialsHelper: engine.credentials,
		executionId: 'execution',
		webhookWaitingBaseUrl: address,
		formWaitingBaseUrl: address,
		currentNodeExecutionIndex: 0,
		variables: engine.variables,
		hooks: new ExecutionLifecycleHooks('manual', 'execution', workflow as never),
	} as unknown as IWorkflowExecuteAdditionalData;
}
