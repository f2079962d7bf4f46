import type { ChildProcess } from 'node:child_process';
import axios, { type AxiosInstance } from 'axios';
import type { IDataObject, INode } from 'n8n-workflow';
import { end, N8nHome } from './home';
import { freePort, until } from './wait';

const OWNER = {
	email: 'owner@example.com',
	firstName: 'Test',
	lastName: 'Owner',
	password: 'Passw0rd-of-test',
};

export type TestWorkflow = Record<string, unknown> & { nodes: Array<Partial<INode>> };

export interface CredentialTest {
	status: 'OK' | 'Error';
	message: string;
}

/** A real n8n with the packed package, driven by its REST interface. */
export class N8nInstance {
	private process: ChildProcess | undefined;

	private rest: AxiosInstance = axios;

	private constructor(
		readonly home: N8nHome,
		private readonly port: number,
	) {}

	/** Starts n8n with a new user folder and sets up its owner. */
	static async start(version: string, env: NodeJS.ProcessEnv = {}): Promise<N8nInstance> {
		const port = Number(env.N8N_PORT ?? (await freePort()));
		const home = await N8nHome.create(version, { ...env, N8N_PORT: String(port) });
		const instance = new N8nInstance(home, port);
		await instance.launch();
		instance.keepCookies(await instance.rest.post('/rest/owner/setup', OWNER));
		return instance;
	}

	/** Where the editor answers. */
	get address(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	/** Stops the process and deletes its user folder. */
	async stop(): Promise<void> {
		await this.end();
		await this.home.delete();
	}

	/** Ends n8n and starts it again with the same user folder. */
	async restart(signal?: NodeJS.Signals): Promise<void> {
		await this.end(signal);
		await this.launch();
		await this.logIn();
	}

	async end(signal?: NodeJS.Signals): Promise<void> {
		if (this.process) await end(this.process, signal);
	}

	/** Gets what the editor gets. */
	async get<T>(address: string): Promise<T> {
		const { data } = await this.rest.get<T>(address);
		return data;
	}

	async createCredential(data: IDataObject): Promise<string> {
		const { data: created } = await this.rest.post<{ data: { id: string } }>('/rest/credentials', {
			name: 'Aquaculture account',
			type: 'aquacultureApi',
			data,
		});
		return created.data.id;
	}

	/** The fields of a credential as the editor receives them: secrets are blanked. */
	async credentialInEditor(id: string): Promise<IDataObject> {
		const { data } = await this.get<{ data: { data: IDataObject } }>(
			`/rest/credentials/${id}?includeData=true`,
		);
		return data.data;
	}

	/** Saves a credential as the editor does: with the fields as it received them, but for the edited ones. */
	async editCredential(id: string, edited: IDataObject): Promise<void> {
		await this.rest.patch(`/rest/credentials/${id}`, {
			name: 'Aquaculture account',
			type: 'aquacultureApi',
			data: { ...(await this.credentialInEditor(id)), ...edited },
		});
	}

	/** Tests a credential as the editor does, with the fields that are typed there. */
	async testCredential(id: string, typed: IDataObject = {}): Promise<CredentialTest> {
		const { data } = await this.rest.post<{ data: CredentialTest }>('/rest/credentials/test', {
			credentials: {
				id,
				name: 'Aquaculture account',
				type: 'aquacultureApi',
				data: { ...(await this.credentialInEditor(id)), ...typed },
			},
		});
		return data.data;
	}

	async createWorkflow(workflow: TestWorkflow): Promise<string> {
		const { data } = await this.rest.post<{ data: { id: string } }>('/rest/workflows', {
			active: false,
			...workflow,
		});
		return data.data.id;
	}

	/** Switches a workflow on, and waits until its webhook answers. */
	async activate(id: string, webhook: string): Promise<void> {
		const { data } = await this.get<{ data: { versionId: string } }>(`/rest/workflows/${id}`);
		const { versionId } = data;
		if (this.home.version.startsWith('1.')) {
			await this.rest.patch(`/rest/workflows/${id}`, { active: true, versionId });
		} else {
			await this.rest.post(`/rest/workflows/${id}/activate`, { versionId });
		}
		await until(async () => {
			const { status } = await this.rest.post(`/webhook/${webhook}`, { rows: [] }, ANY_STATUS);
			return status !== 404;
		});
	}

	/** Runs an active workflow by its webhook, which answers with the items of the last step. */
	async callWebhook<T>(webhook: string, rows: readonly unknown[]): Promise<T> {
		const { data } = await this.rest.post<T>(`/webhook/${webhook}`, { rows });
		return data;
	}

	/** Runs a workflow as the editor's button does, and waits for its end. */
	async runManually(id: string, trigger: string): Promise<{ status: string; data: string }> {
		const { data: workflowData } = await this.get<{ data: IDataObject }>(`/rest/workflows/${id}`);
		const { data } = await this.rest.post<{ data: { executionId: string } }>(
			`/rest/workflows/${id}/run`,
			{ workflowData, triggerToStartFrom: { name: trigger } },
		);
		return await this.finished(data.data.executionId);
	}

	/** The last execution of a workflow, once it has ended: its status, and its data as n8n stores it. */
	async lastExecution(workflowId: string): Promise<{ status: string; data: string }> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { data } = await this.get<{ data: { results: Array<{ id: string }> } }>(
			`/rest/executions?filter=${filter}&limit=1`,
		);
		return await this.finished(data.results[0]?.id ?? '');
	}

	private async finished(id: string): Promise<{ status: string; data: string }> {
		let execution = { status: 'new', data: '' };
		await until(async () => {
			const { data } = await this.get<{ data: typeof execution }>(`/rest/executions/${id}`);
			execution = data;
			return !['new', 'running', 'waiting'].includes(execution.status);
		});
		return execution;
	}

	private async launch(): Promise<void> {
		const child = await this.home.start('start');
		this.process = child;
		this.rest = axios.create({
			baseURL: this.address,
			headers: { 'browser-id': 'test' },
			timeout: 60_000,
		});
		await until(async () => {
			if (child.exitCode !== null) throw new Error(`n8n has ended:\n${await this.home.log()}`);
			const { data } = await this.rest.get<{ data?: unknown }>('/rest/settings', ANY_STATUS);
			return data.data !== undefined;
		}, 120_000);
	}

	private async logIn(): Promise<void> {
		const { email, password } = OWNER;
		this.keepCookies(
			await this.rest.post('/rest/login', { emailOrLdapLoginId: email, email, password }),
		);
	}

	private keepCookies({ headers }: { headers: unknown }): void {
		const cookies = (headers as { 'set-cookie'?: string[] })['set-cookie'] ?? [];
		this.rest.defaults.headers.common.cookie = cookies
			.map((cookie) => cookie.split(';')[0])
			.join('; ');
	}
}

const ANY_STATUS = { validateStatus: () => true };
