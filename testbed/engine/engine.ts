import { existsSync } from 'node:fs';
import path from 'node:path';
import {
	CredentialTestContext,
	ExecutionLifecycleHooks,
	LoadOptionsContext,
	PackageDirectoryLoader,
	PollContext,
	WorkflowExecute,
} from 'n8n-core';
import {
	NodeConnectionTypes,
	Workflow,
	type ICredentialType,
	type IDataObject,
	type IExecuteFunctions,
	type ILoadOptionsFunctions,
	type INode,
	type INodeCredentialTestResult,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type INodeTypes,
	type IPollFunctions,
	type IRun,
	type IWorkflowBase,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { Failure } from '../failure';
import { step } from '../workflows';
import { CredentialStore } from './credentialStore';

/** What the engine needs of a workflow file. */
type WorkflowFile = Pick<IWorkflowBase, 'nodes' | 'connections'>;

export interface RunOptions {
	/** What the trigger hands over; one empty item if it is left out. */
	items?: INodeExecutionData[];
	/** Called with the execution once it has begun, for cancelling it. */
	onStart?: (execution: { cancel(): void }) => void;
}

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

interface LogEntry {
	level: (typeof LOG_LEVELS)[number];
	message: string;
	details: unknown;
}

/** n8n's log: one for everything that runs in this process. */
const LOG: LogEntry[] = [];

const PACKAGE_DIRECTORY = path.resolve(__dirname, '../..');

const CREDENTIAL = 'aquacultureApi';

/** A node that stands for any other. */
const NO_OP: INode = { ...step('Test', 'noOp'), position: [0, 0] };

/** n8n-core ships no nodes; this is the smallest one that a workflow can start with. */
class ManualTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Manual Trigger',
		name: 'manualTrigger',
		group: ['trigger'],
		version: 1,
		description: 'Starts the workflow',
		defaults: { name: 'Manual Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		properties: [],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [this.getInputData()];
	}
}

/** Sends one request for each item, with the helper that n8n's HTTP Request node uses, or with the newer one. */
class HttpRequest implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'HTTP Request',
		name: 'httpRequest',
		group: ['output'],
		version: 1,
		description: 'Sends a request',
		defaults: { name: 'HTTP Request' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		properties: [
			{ displayName: 'URL', name: 'url', type: 'string', default: '' },
			{ displayName: 'Headers', name: 'headers', type: 'json', default: {} },
			{ displayName: 'Options', name: 'options', type: 'json', default: {} },
			{ displayName: 'Newer Helper', name: 'newerHelper', type: 'boolean', default: false },
		],
	};

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
		// As n8n's own node does, which waits for all of them (n8n 1.123 and 2.40).
		await Promise.allSettled(sent);
		return [await Promise.all(sent)];
	}
}

/** What n8n has stored of a workflow. */
interface SavedWorkflow {
	id?: string;
	staticData?: IDataObject;
}

/** n8n's engine with the built package in it, loaded as n8n loads it, and with credentials that live in memory. */
export class Engine {
	readonly credentials: CredentialStore;

	/** n8n's variables, which expressions know as `$vars`. */
	variables: IDataObject = {};

	private constructor(private readonly loader: PackageDirectoryLoader) {
		this.credentials = new CredentialStore(this.credentialType);
	}

	/** Loads the package that `npm run build` has made. */
	static async load(directory = PACKAGE_DIRECTORY): Promise<Engine> {
		const loader = new PackageDirectoryLoader(directory);
		await loader.loadAll().catch((cause: unknown) => {
			if (existsSync(path.join(directory, 'dist'))) throw cause;
			throw new Failure('The package has not been built: npm run build', { cause });
		});
		const engine = new Engine(loader);
		engine.keepLog();
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

	/** What was written to n8n's log, by whichever engine of this process. */
	get log(): LogEntry[] {
		return LOG;
	}

	/** The messages of this level in n8n's log. */
	logged(level: LogEntry['level']): string[] {
		return LOG.filter((entry) => entry.level === level).map(({ message }) => message);
	}

	/** Runs a workflow from its manual trigger on. */
	async run(
		file: WorkflowFile,
		{ items = [{ json: {} }], onStart }: RunOptions = {},
	): Promise<IRun> {
		const workflow = workflowOf(file, this.nodeTypes());
		const trigger = file.nodes.find(({ type }) => type.endsWith('.manualTrigger'));
		const execution = new WorkflowExecute(additionalData(this), 'manual');
		const run = execution.run({
			workflow,
			pinData: trigger ? { [trigger.name]: structuredClone(items) } : {},
		});
		onStart?.(run);
		return await run;
	}

	/**
	 * Makes what n8n makes of a workflow with a trigger when it activates it, or for a test event.
	 *
	 * @param saved what is stored of the workflow: its ID, if it is not the usual one, and its static data.
	 */
	pollContext(
		node: INode,
		mode: 'trigger' | 'manual',
		saved: SavedWorkflow,
		callbacks: Pick<IPollFunctions, '__emit' | '__emitError'>,
	): { workflow: Workflow; context: IPollFunctions } {
		const workflow = workflowOf(
			{ nodes: [node], connections: {} },
			typesOf(() => this.triggerType),
			saved,
		);
		const context = new PollContext(
			workflow,
			workflow.getNode(node.name) as INode,
			additionalData(this),
			mode,
			mode === 'manual' ? 'manual' : 'activate',
			callbacks.__emit,
			callbacks.__emitError,
		);
		return { workflow, context: context as unknown as IPollFunctions };
	}

	/** What the lists in the panel of a node are loaded with. */
	loadOptionsContext(node: INode): ILoadOptionsFunctions {
		const workflow = workflowOf({ nodes: [node], connections: {} }, this.nodeTypes());
		const data = additionalData(this);
		return new LoadOptionsContext(workflow, node, data, '') as unknown as ILoadOptionsFunctions;
	}

	/** Runs the function of the node that the credential names as its test, as n8n does (docs/architecture.md, n8n 6). */
	async testCredential(id: string): Promise<INodeCredentialTestResult> {
		const { name: type } = this.credentialType;
		const { description, methods } = this.nodeType;
		const testedBy = description.credentials?.find(({ name }) => name === type)?.testedBy;
		const test = methods?.credentialTest?.[String(testedBy)];
		if (!test) throw new Failure(`The node has no test for the credential ${type}`);
		return await test.call(new CredentialTestContext(), await this.credentials.decrypted(id));
	}

	private keepLog(): void {
		const silent = { __emit: () => {}, __emitError: () => {} };
		const { logger } = this.pollContext(NO_OP, 'manual', {}, silent).context;
		for (const level of LOG_LEVELS) {
			logger[level] = (message, details) => LOG.push({ level, message, details });
		}
	}

	private nodeTypes(): INodeTypes {
		const types: Record<string, INodeType> = {
			'n8n-nodes-base.manualTrigger': new ManualTrigger(),
			'n8n-nodes-base.httpRequest': new HttpRequest(),
		};
		const toolType = toolOf(this.nodeType);
		return typesOf((type) => types[type] ?? (type.endsWith('Tool') ? toolType : this.nodeType));
	}
}

/** What n8n makes of a node for its tool: a copy of its description with another name (docs/architecture.md, n8n 15). */
function toolOf(nodeType: INodeType): INodeType {
	const description = { ...nodeType.description, name: `${nodeType.description.name}Tool` };
	return Object.create(nodeType, { description: { value: description } }) as INodeType;
}

function typesOf(find: (type: string) => INodeType): INodeTypes {
	return {
		getByName: find,
		getByNameAndVersion: find,
		getKnownTypes: () => ({}),
	};
}

function workflowOf(
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

function additionalData(engine: Engine): IWorkflowExecuteAdditionalData {
	const workflow = { id: 'workflow', name: 'workflow', nodes: [], connections: {} };
	const address = 'http://127.0.0.1:5678';
	return {
		credentialsHelper: engine.credentials,
		executionId: 'execution',
		restApiUrl: address,
		instanceBaseUrl: address,
		webhookWaitingBaseUrl: address,
		formWaitingBaseUrl: address,
		currentNodeExecutionIndex: 0,
		variables: engine.variables,
		hooks: new ExecutionLifecycleHooks('manual', 'execution', workflow as never),
	} as unknown as IWorkflowExecuteAdditionalData;
}
