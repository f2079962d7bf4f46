import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import axios, { type AxiosInstance } from 'axios';
import type { IDataObject, INode } from 'n8n-workflow';
import { installationOf } from './install';

const ROOT = path.resolve(__dirname, '../..');
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

/** A real n8n with the packed package installed as n8n installs community packages, driven by its REST interface. */
export class N8nInstance {
	private process: ChildProcess | undefined;

	private rest: AxiosInstance = axios;

	private constructor(
		readonly version: string,
		private readonly home: string,
		private readonly port: number,
	) {}

	/** Packs the package, installs it in a new user folder, starts n8n with it and sets up its owner. */
	static async start(version: string): Promise<N8nInstance> {
		const home = await mkdtemp(path.join(tmpdir(), 'n8n-'));
		const packages = path.join(home, '.n8n/nodes');
		await mkdir(packages, { recursive: true });
		await writeFile(
			path.join(packages, 'package.json'),
			'{"name":"installed-nodes","private":true}',
		);
		const pack = execFileSync(
			'npm',
			['pack', '--json', '--loglevel=error', '--pack-destination', home],
			{
				cwd: ROOT,
				encoding: 'utf8',
			},
		);
		const [{ filename }] = JSON.parse(pack) as [{ filename: string }];
		const install = [
			'install',
			path.join(home, filename),
			'--legacy-peer-deps',
			'--ignore-scripts',
		];
		execFileSync('npm', [...install, '--no-audit', '--no-fund', '--loglevel=error'], {
			cwd: packages,
		});

		const instance = new N8nInstance(version, home, await freePort());
		await instance.launch();
		await instance.setUpOwner();
		return instance;
	}

	/** Stops the process and deletes its user folder. */
	async stop(): Promise<void> {
		await this.end('SIGTERM');
		await rm(this.home, { recursive: true, force: true });
	}

	/** Ends n8n and starts it again with the same user folder. */
	async restart(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
		await this.end(signal);
		await this.launch();
		await this.logIn();
	}

	async log(): Promise<string> {
		return await readFile(path.join(this.home, 'n8n.log'), 'utf8');
	}

	async database(): Promise<string> {
		const directory = path.join(this.home, '.n8n');
		const files = ['database.sqlite', 'database.sqlite-wal'];
		const contents = files.map(async (file) =>
			(await readFile(path.join(directory, file)).catch(() => Buffer.alloc(0))).toString('latin1'),
		);
		return (await Promise.all(contents)).join('');
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
		if (this.version.startsWith('1.')) {
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
		const { node, n8n } = installationOf(this.version);
		const child = spawn(node, [n8n, 'start'], {
			env: {
				...process.env,
				NODE_ENV: 'production',
				N8N_USER_FOLDER: this.home,
				N8N_PORT: String(this.port),
				N8N_LISTEN_ADDRESS: '127.0.0.1',
				N8N_RUNNERS_BROKER_PORT: String(await freePort()),
				N8N_LOG_LEVEL: 'debug',
				N8N_DIAGNOSTICS_ENABLED: 'false',
				N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
				N8N_TEMPLATES_ENABLED: 'false',
				N8N_PERSONALIZATION_ENABLED: 'false',
				N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
				// Node.js 20 cannot load the newer engine.
				...(this.version.startsWith('1.') && { N8N_EXPRESSION_ENGINE: 'legacy' }),
			},
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		const log = createWriteStream(path.join(this.home, 'n8n.log'), { flags: 'a' });
		child.stdout.pipe(log, { end: false });
		child.stderr.pipe(log, { end: false });
		this.process = child;
		this.rest = axios.create({
			baseURL: `http://127.0.0.1:${this.port}`,
			headers: { 'browser-id': 'test' },
			timeout: 60_000,
		});
		await until(async () => {
			if (child.exitCode !== null) throw new Error(`n8n has ended:\n${await this.log()}`);
			const { data } = await this.rest.get<{ data?: unknown }>('/rest/settings', ANY_STATUS);
			return data.data !== undefined;
		}, 120_000);
	}

	private async end(signal: NodeJS.Signals): Promise<void> {
		const child = this.process;
		if (!child || child.exitCode !== null) return;
		const ended = new Promise((resolve) => child.once('close', resolve));
		child.kill(signal);
		await ended;
	}

	private async setUpOwner(): Promise<void> {
		this.keepCookies(await this.rest.post('/rest/owner/setup', OWNER));
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

async function until(isTrue: () => Promise<boolean>, milliseconds = 30_000): Promise<void> {
	const end = Date.now() + milliseconds;
	for (;;) {
		const refused = (error: { code?: string }) => {
			if (error.code === 'ECONNREFUSED') return false;
			throw error;
		};
		if (await isTrue().catch(refused)) return;
		if (Date.now() > end) throw new Error(`Not within ${milliseconds / 1000} s: ${String(isTrue)}`);
		await sleep(200);
	}
}

async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	await new Promise((resolve) => server.close(resolve));
	return port;
}
