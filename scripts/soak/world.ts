import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Emulator, UNLIMITED } from '../../emulator/server';
import { MAIN_VERSION } from '../../testbed/n8n/install';
import { N8nInstance } from '../../testbed/n8n/instance';
import { Account, USERNAME } from './account';
import { OPERATIONS } from './plan';
import { MEMORY_FILE, type MemorySample } from './probe.mjs';
import { FORBIDDEN_SITE, SERVED_SITES, STORED_SITES, UNAVAILABLE_SITE } from './sites';
import { controlWorkflow, nodeWorkflow, watchingWorkflow } from './workflows';

/** Ends what has been started, the last first. */
type Ending = () => Promise<void>;

/** An n8n whose memory is sampled. */
export interface Measured {
	n8n: N8nInstance;
	/** The samples that were taken from one moment to another, in milliseconds since 1970. */
	samplesBetween(begin: number, end: number): Promise<MemorySample[]>;
}

/**
 * A service that is disturbed and the n8n that is soaked with it; beside them the control, an n8n that runs the same
 * workflows without the package's node.
 */
export class World {
	private readonly endings: Ending[] = [];

	service!: Emulator;

	account!: Account;

	soaked!: Measured;

	control!: Measured;

	/** IDs of the workflow that stops at a failure, and of the one with the trigger. */
	stopping = '';

	watching = '';

	/** Starts everything; what has been started is ended by `end`, also where this fails. */
	async begin(): Promise<void> {
		this.service = await Emulator.start({
			...UNLIMITED,
			sites: STORED_SITES,
			accounts: { [USERNAME]: '' },
			token: { lifetimeSeconds: 60, announcedLifetime: null },
		});
		this.endings.push(async () => await this.service.stop());
		for (const [siteId, status] of [
			[UNAVAILABLE_SITE, 503],
			[FORBIDDEN_SITE, 403],
		] as const) {
			this.service.fail({ route: 'site', siteId, fault: { kind: 'status', status } });
		}
		this.control = await this.measured();
		for (const operation of OPERATIONS) {
			await this.control.n8n.addWebhook(controlWorkflow(operation));
		}
		this.soaked = await this.measured();
		const { n8n } = this.soaked;
		this.account = await Account.create(this.service, n8n);
		const { credential } = this.account;
		for (const operation of OPERATIONS) {
			const id = await n8n.addWebhook(nodeWorkflow(operation, credential));
			if (operation === 'stop') this.stopping = id;
		}
		this.watching = await n8n.createWorkflow(watchingWorkflow(credential));
		await Promise.all([warmUp(this.control.n8n), warmUp(n8n)]);
		await n8n.activate(this.watching);
	}

	async end(): Promise<void> {
		for (let end = this.endings.pop(); end; end = this.endings.pop()) await end();
	}

	private async measured(): Promise<Measured> {
		const directory = await mkdtemp(path.join(tmpdir(), 'soak-'));
		this.endings.push(async () => await rm(directory, { recursive: true, force: true }));
		const file = path.join(directory, 'memory.jsonl');
		const n8n = await N8nInstance.prepare(MAIN_VERSION, {
			NODE_OPTIONS: `--expose-gc --require ${path.join(__dirname, 'probe.mts')}`,
			[MEMORY_FILE]: file,
			// No step needs a task runner, whose process would be sampled too.
			N8N_RUNNERS_MODE: 'external',
			N8N_RUNNERS_AUTH_TOKEN: 'soak',
			// The isolated engine takes a tenth of a second of CPU for each execution (n8n 2.40).
			N8N_EXPRESSION_ENGINE: 'legacy',
			// What n8n stores would grow with the executions.
			EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
		});
		this.endings.push(async () => await n8n.stop());
		await n8n.begin();
		return {
			n8n,
			async samplesBetween(begin, end) {
				const lines = (await readFile(file, 'utf8')).trim().split('\n');
				return lines
					.map((line) => JSON.parse(line) as MemorySample)
					.filter(({ at }) => at >= begin && at <= end);
			},
		};
	}
}

/** Runs each workflow some times, one after the other: n8n takes a multiple of the time for its first executions. */
async function warmUp(n8n: N8nInstance): Promise<void> {
	const TIMES = 40;
	const [id] = SERVED_SITES;
	for (let time = 0; time < TIMES; time++) {
		for (const operation of OPERATIONS) {
			await n8n.callWebhook(operation, [{ id, ids: id, mark: '' }]);
		}
	}
}
