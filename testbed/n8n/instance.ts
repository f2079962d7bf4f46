import { Agent } from 'node:http';
import axios from 'axios';
import { parse } from 'flatted';
import type {
	IBinaryData,
	IDataObject,
	INode,
	INodeCredentialTestResult,
	INodeExecutionData,
	IRunExecutionData,
} from 'n8n-workflow';
import { N8nHome } from './home';
import type { Cleanup } from '../cleanup';
import { hasExited } from '../command';
import { getFreePort, until } from '../wait';
import { IS_N8N_1 } from './versions';
import { CREDENTIAL_NAME, type NewWorkflow } from '../workflows';

export const OWNER = {
	email: 'owner@example.com',
	firstName: 'Test',
	lastName: 'Owner',
	password: 'Passw0rd-of-test',
};

/** What n8n 2 tells of an activation. */
interface Publication {
	status: string;
	triggers: Array<{ errorMessage: string | null }>;
}

/** `data` is as n8n stores it. */
export interface Execution {
	status: string;
	data: string;
}

export function itemsOf(execution: Execution, node: string): INodeExecutionData[] {
	const { runData } = (parse(execution.data) as IRunExecutionData).resultData;
	return runData[node]?.[0]?.data?.main?.[0] ?? [];
}

/** Returns why an execution has failed; undefined if it has not. */
export function errorOf({ data }: Execution): string | undefined {
	return (parse(data) as IRunExecutionData).resultData.error?.message;
}

const UNFINISHED = ['new', 'running', 'waiting'];

/** Drives a real n8n with the packed package by its REST API. */
export class N8nInstance {
	home!: N8nHome;

	address = '';

	private readonly rest = axios.create({
		headers: { 'browser-id': 'test' },
		// n8n closes idle connections after five seconds, perhaps while the next request is in flight.
		httpAgent: new Agent({ keepAlive: false }),
		timeout: 60_000,
	});

	/** Starts n8n with a new user folder, sets up its owner and signs in. */
	async start(cleanup: Cleanup, env: NodeJS.ProcessEnv = {}): Promise<this> {
		const port = env.N8N_PORT ?? String(await getFreePort());
		this.home = await cleanup.use(N8nHome.create({ ...env, N8N_PORT: port }));
		this.address = `http://127.0.0.1:${port}`;
		this.rest.defaults.baseURL = this.address;
		await this.launch();
		const { headers } = await this.rest.post('/rest/owner/setup', OWNER);
		const cookies = headers['set-cookie']?.map((cookie) => cookie.split(';')[0]) ?? [];
		this.rest.defaults.headers.common.cookie = cookies.join('; ');
		return this;
	}

	async restart(signal?: NodeJS.Signals): Promise<void> {
		await this.stop(signal);
		await this.launch();
	}

	async stop(signal?: NodeJS.Signals): Promise<void> {
		this.home.process?.kill(signal);
		await this.home.process;
	}

	async get<T>(address: string, params: IDataObject = {}): Promise<T> {
		const { data } = await this.rest.get<T>(address, { params });
		return data;
	}

	async createCredential(
		data: IDataObject,
		type = AQUACULTURE.type,
		name = AQUACULTURE.name,
	): Promise<string> {
		return (await this.post<{ id: string }>('/rest/credentials', { name, type, data })).id;
	}

	/** Returns the fields of a credential as the editor receives them, with secrets blanked. */
	async credentialInEditor(id: string): Promise<IDataObject> {
		return (await this.read<{ data: IDataObject }>(`/rest/credentials/${id}?includeData=true`))
			.data;
	}

	/** Saves a credential as the editor does. */
	async editCredential(id: string, edited: IDataObject): Promise<void> {
		await this.rest.patch(`/rest/credentials/${id}`, await this.mergeCredential(id, edited));
	}

	/** Edits a credential by n8n's public API, which n8n 1.x does not offer, and returns the status of its answer. */
	async editCredentialByApi(id: string, edit: IDataObject): Promise<number> {
		const scopes = await this.read<string[]>('/rest/api-keys/scopes');
		const key = { label: `Key ${Date.now()}`, scopes, expiresAt: null };
		const { rawApiKey } = await this.post<{ rawApiKey: string }>('/rest/api-keys', key);
		const { status } = await this.rest.patch(`/api/v1/credentials/${id}`, edit, {
			...ANY_STATUS,
			headers: { 'X-N8N-API-KEY': rawApiKey },
		});
		return status;
	}

	/** Tests a credential as the editor does, with the fields that are typed there. */
	async testCredential(id: string, typed: IDataObject = {}): Promise<INodeCredentialTestResult> {
		const credentials = { id, ...(await this.mergeCredential(id, typed)) };
		return await this.post('/rest/credentials/test', { credentials });
	}

	async createWorkflow(workflow: NewWorkflow): Promise<string> {
		const inactive = { active: false, ...workflow };
		return (await this.post<{ id: string }>('/rest/workflows', inactive)).id;
	}

	/** Returns the stored parameters of the first node of a type; undefined before n8n has stored it. */
	async getParameters(workflow: string, type: string): Promise<IDataObject | undefined> {
		const { nodes } = await this.read<Pick<NewWorkflow, 'nodes'>>(`/rest/workflows/${workflow}`);
		return nodes.find((node) => node.type === type)?.parameters as IDataObject | undefined;
	}

	/**
	 * Creates and activates a workflow with a webhook of the same name, and waits until the webhook answers.
	 *
	 * @returns the workflow's ID.
	 */
	async addWebhook(workflow: NewWorkflow): Promise<string> {
		const id = await this.createWorkflow(workflow);
		await this.activate(id);
		await this.answersAt(workflow.name);
		return id;
	}

	/** Edits the first node of an active workflow, and activates it again. */
	async editFirstNode(id: string, edit: (node: INode) => unknown): Promise<void> {
		const { versionId, connections, nodes } = await this.read<NewWorkflow>(`/rest/workflows/${id}`);
		nodes.slice(0, 1).forEach(edit);
		// n8n 1 activates an active workflow with each edit.
		await this.rest.patch(`/rest/workflows/${id}`, { versionId, connections, nodes });
		if (!IS_N8N_1) await this.activate(id);
	}

	/**
	 * Activates a workflow, and waits until n8n has finished.
	 *
	 * @returns why n8n cannot activate it, if so.
	 */
	async activate(id: string): Promise<string | undefined> {
		const address = `/rest/workflows/${id}`;
		const { versionId } = await this.read<{ versionId: string }>(address);
		if (IS_N8N_1) {
			const change = { active: true, versionId };
			const { data } = await this.rest.patch<{ message?: string }>(address, change, ANY_STATUS);
			return data.message;
		}
		await this.rest.post(`${address}/activate`, { versionId });
		const read = async () => await this.read<Publication>(`${address}/publication-status`);
		await until(async () => (await read()).status !== 'in_progress');
		const { triggers } = await read();
		return triggers.find(({ errorMessage }) => errorMessage)?.errorMessage ?? undefined;
	}

	async deactivate(id: string): Promise<void> {
		const { versionId } = await this.read<{ versionId: string }>(`/rest/workflows/${id}`);
		if (IS_N8N_1) {
			await this.rest.patch(`/rest/workflows/${id}`, { active: false, versionId });
		} else {
			await this.rest.post(`/rest/workflows/${id}/deactivate`, { versionId });
		}
	}

	/** Returns the last hundred finished executions of a workflow, oldest first. */
	async executionsOf(workflowId: string): Promise<Execution[]> {
		const { results } = await this.read<{ results: Array<Record<'id' | 'status', string>> }>(
			'/rest/executions',
			{ filter: JSON.stringify({ workflowId }), limit: 100 },
		);
		const ended = results.filter(({ status }) => !UNFINISHED.includes(status)).reverse();
		return await Promise.all(ended.map(async ({ id }) => await this.finished(id)));
	}

	/**
	 * Creates a data table from a CSV file with a header row, as the editor does: n8n takes the type of a column from its
	 * first value.
	 *
	 * @returns the table's ID.
	 */
	async importDataTable(name: string, csv: string): Promise<string> {
		const form = new FormData();
		form.set('file', new Blob([csv], { type: 'text/csv' }), 'table.csv');
		form.set('hasHeaders', 'true');
		const uploaded = await this.post<{
			id: string;
			columns: Array<Record<'name' | 'type', string>>;
		}>('/rest/data-tables/uploads', form);
		const columns = uploaded.columns.map(({ name: column, type }) => ({ name: column, type }));
		const table = { name, columns, fileId: uploaded.id, hasHeaders: true };
		return (await this.post<{ id: string }>(await this.dataTables(), table)).id;
	}

	/** The rows of a data table, the oldest first. */
	async rowsOfDataTable(id: string): Promise<IDataObject[]> {
		const address = `${await this.dataTables()}/${id}/rows`;
		return (await this.read<{ data: IDataObject[] }>(address, { sortBy: 'id:asc' })).data;
	}

	/** Turns on n8n's own MCP server, which n8n 1.x does not have, and returns its address and a key of the owner. */
	async openMcpServer(): Promise<{ url: URL; key: string }> {
		await this.rest.patch('/rest/mcp/settings', { mcpAccessEnabled: true });
		const { apiKey } = await this.post<{ apiKey: string }>('/rest/mcp/api-key/rotate', {});
		return { url: new URL('/mcp-server/http', this.address), key: apiKey };
	}

	/**
	 * Waits until a webhook answers, as it does once n8n has switched its workflow on. After a kill, n8n 1 may take a call while it
	 * still starts, and then never answer it.
	 */
	async answersAt(webhook: string): Promise<void> {
		const settings = { ...ANY_STATUS, timeout: 10_000 };
		await until(async () => {
			const { status } = await this.rest.post(`/webhook/${webhook}`, { rows: [] }, settings);
			return status !== 404;
		});
	}

	/** Calls a webhook. @returns the items of the last step. */
	async callWebhook<T>(webhook: string, rows: readonly unknown[]): Promise<T> {
		const { data } = await this.rest.post<T>(`/webhook/${webhook}`, { rows });
		return data;
	}

	async runManually(id: string): Promise<Execution> {
		return await this.finished(await this.startManually(id));
	}

	/**
	 * Starts a workflow by its first node, as the editor's button does.
	 *
	 * @returns the execution's ID.
	 */
	async startManually(id: string): Promise<string> {
		const workflowData = await this.read<NewWorkflow>(`/rest/workflows/${id}`);
		const { executionId } = await this.post<{ executionId: string }>(`/rest/workflows/${id}/run`, {
			workflowData,
			triggerToStartFrom: { name: workflowData.nodes[0]?.name },
		});
		return executionId;
	}

	async stopExecution(id: string): Promise<void> {
		await this.rest.post(`/rest/executions/${id}/stop`);
	}

	/** Waits for the end of an execution. */
	async finished(id: string, milliseconds?: number): Promise<Execution> {
		let execution: Execution | undefined;
		await until(async () => {
			execution = await this.read<Execution>(`/rest/executions/${id}`);
			// n8n 1.x may report the end before it has stored the data.
			return !UNFINISHED.includes(execution.status) && execution.data !== '[]';
		}, milliseconds);
		return execution as Execution;
	}

	async download({ id, data }: IBinaryData): Promise<Buffer> {
		// n8n 1.x sends a file with the item, unless it is told to keep files apart.
		if (!id) return Buffer.from(data, 'base64');
		const { data: file } = await this.rest.get<ArrayBuffer>('/rest/binary-data', {
			params: { id, action: 'download' },
			responseType: 'arraybuffer',
		});
		return Buffer.from(file);
	}

	/** The address of the owner's data tables. */
	private async dataTables(): Promise<string> {
		const { id } = await this.read<{ id: string }>('/rest/projects/personal');
		return `/rest/projects/${id}/data-tables`;
	}

	private async read<T>(address: string, params?: IDataObject): Promise<T> {
		return (await this.get<{ data: T }>(address, params)).data;
	}

	private async post<T>(address: string, body: unknown): Promise<T> {
		const { data } = await this.rest.post<{ data: T }>(address, body);
		return data.data;
	}

	/** Merges edited fields into a credential, like the editor. */
	private async mergeCredential(id: string, typed: IDataObject): Promise<IDataObject> {
		const data = { ...(await this.credentialInEditor(id)), ...typed };
		return { ...AQUACULTURE, data };
	}

	private async launch(): Promise<void> {
		await this.home.start('start');
		const answers = async () => {
			if (hasExited(this.home.process)) throw new Error('n8n has ended');
			const { data } = await this.rest.get<{ data?: unknown }>('/rest/settings', ANY_STATUS);
			return data.data !== undefined;
		};
		try {
			await until(answers, 240_000);
		} catch (error) {
			const end = (await this.home.log()).slice(-4000);
			throw new Error(`n8n does not start, and printed at last:\n${end}`, { cause: error });
		}
	}
}

const AQUACULTURE = { name: CREDENTIAL_NAME, type: 'aquacultureApi' };
const ANY_STATUS = { validateStatus: () => true };
