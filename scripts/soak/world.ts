import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { Emulator, UNLIMITED } from '../../emulator/server';
import { madeUpSite, type StoredSite } from '../../emulator/sites';
import { MAIN_VERSION } from '../../testbed/n8n/versions';
import { N8nInstance } from '../../testbed/n8n/instance';
import { Stage } from '../../testbed/stage';
import {
	credentialsOf,
	NODE_TYPE,
	triggerWorkflow,
	webhookWorkflow,
	type NewWorkflow,
	type NodeUnderTest,
} from '../../testbed/workflows';
import type { MemorySample } from './probe.mjs';

/** What a call asks the node to do; `stop` is Get Site with "On Error" set to "Stop Workflow". */
export const OPERATIONS = ['site', 'many', 'units', 'stop'] as const;

export type SoakOperation = (typeof OPERATIONS)[number];

/** The sites that the service keeps for the calls. */
export const SERVED_SITES = Array.from({ length: 200 }, (_, index) => 100_001 + index);

/** The service does not know it. */
export const UNKNOWN_SITE = 4040;

/** The account may not read it. */
export const FORBIDDEN_SITE = 4030;

/** The one that the trigger watches. */
export const WATCHED_SITE = 9001;

const SITES: readonly StoredSite[] = [...SERVED_SITES, FORBIDDEN_SITE, WATCHED_SITE].map(
	madeUpSite,
);

/** How the node is set. */
export const LIMITS = { timeoutSeconds: 10, maxTries: 5, maxTimeSeconds: 75 };

const USERNAME = 'demo';

/** The name of the trigger's step. */
export const TRIGGER = 'Trigger';

/** An n8n whose memory is sampled. */
export interface Measured {
	n8n: N8nInstance;
	/** The samples that were taken from one moment to another, in milliseconds since 1970. */
	samplesBetween(begin: number, end: number): Promise<MemorySample[]>;
}

/** The site as the service keeps it at first. */
export function storedSite(siteId: number): StoredSite | undefined {
	return SITES.find((site) => site.siteId === siteId);
}

/**
 * A service in trouble and the n8n that is soaked with it; beside them the control, an n8n that runs the same workflows
 * without the package's node.
 */
export class World {
	private readonly stage = new Stage();

	service!: Emulator;

	soaked!: Measured;

	control!: Measured;

	/** IDs of the workflow that stops at a failure, and of the one with the trigger. */
	stopping = '';

	watching = '';

	/** All passwords that n8n's credential has held, the last one as it must be now. */
	readonly passwords: string[] = [`fjord-${randomUUID()}`];

	private credential = '';

	/** Starts everything; what has been started is ended by `end`, also where this fails. */
	async begin(): Promise<void> {
		const [password = ''] = this.passwords;
		this.service = await this.stage.keep(
			Emulator.start({
				...UNLIMITED,
				sites: SITES,
				accounts: { [USERNAME]: password },
				token: { lifetimeSeconds: 60, announcedLifetime: null },
			}),
		);
		const { service } = this;
		service.fail({ route: 'site', siteId: FORBIDDEN_SITE, fault: { kind: 'status', status: 403 } });
		this.control = await this.measured();
		this.soaked = await this.measured();
		const { n8n } = this.soaked;
		const account = { baseUrl: service.baseUrl, username: USERNAME, password };
		this.credential = await n8n.createCredential({ ...account, requestsPerMinute: 0 });
		for (const operation of OPERATIONS) {
			await this.control.n8n.addWebhook(workflowOf(operation));
			const id = await n8n.addWebhook(workflowOf(operation, this.credential));
			if (operation === 'stop') this.stopping = id;
		}
		const watched = { sites: 'byId', siteIds: `${WATCHED_SITE}`, changes: ['licenceChanged'] };
		const settings = { saveDataSuccessExecution: 'all' };
		this.watching = await n8n.createWorkflow(
			triggerWorkflow('Watching', this.credential, watched, settings),
		);
		await Promise.all([warmUp(this.control.n8n), warmUp(n8n)]);
		await n8n.activate(this.watching);
	}

	/** Changes the password at the service, which ends all tokens, and then in n8n. */
	async changePassword(): Promise<void> {
		const password = `fjord-${randomUUID()}`;
		this.passwords.push(password);
		this.service.settings.accounts[USERNAME] = password;
		this.service.tokens.revokeAll();
		await this.enterPassword();
	}

	/** Enters the right password in n8n, as a person does. */
	async enterPassword(): Promise<void> {
		const password = this.passwords.at(-1) ?? '';
		await this.soaked.n8n.editCredential(this.credential, { password });
	}

	async end(): Promise<void> {
		await this.stage.end();
	}

	private async measured(): Promise<Measured> {
		const directory = await mkdtemp(path.join(tmpdir(), 'soak-'));
		await this.stage.add(async () => await rm(directory, { recursive: true, force: true }));
		const file = path.join(directory, 'memory.jsonl');
		const n8n = await N8nInstance.start(this.stage, MAIN_VERSION, {
			NODE_OPTIONS: `--expose-gc --require ${path.join(__dirname, 'probe.mts')}`,
			SOAK_MEMORY_FILE: file,
			// No step needs a task runner, whose process would be sampled too.
			N8N_RUNNERS_MODE: 'external',
			N8N_RUNNERS_AUTH_TOKEN: 'soak',
			// The isolated engine takes a tenth of a second of CPU for each execution (n8n 2.40).
			N8N_EXPRESSION_ENGINE: 'legacy',
			// What n8n stores would grow with the executions.
			EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
		});
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

/** Runs the node with the rows of a call, or does nothing with them where there is no credential. */
function workflowOf(operation: SoakOperation, credential?: string): NewWorkflow {
	const idle: NodeUnderTest = { type: 'n8n-nodes-base.noOp', parameters: {} };
	const node = credential === undefined ? idle : nodeOf(operation, credential);
	return webhookWorkflow(operation, node, 'Read');
}

function nodeOf(operation: SoakOperation, credential: string): NodeUnderTest {
	return {
		type: NODE_TYPE,
		credentials: credentialsOf(credential),
		onError: operation === 'stop' ? 'stopWorkflow' : 'continueRegularOutput',
		parameters: parametersOf(operation),
	};
}

function parametersOf(operation: SoakOperation): IDataObject {
	const { timeoutSeconds: timeout, maxTimeSeconds: maxTime, maxTries } = LIMITS;
	const options = { timeout, maxTime, maxTries, dataVersion: '={{ $json.mark }}' };
	const ids = { siteId: '={{ $json.id }}', sites: 'byId', siteIds: '={{ $json.ids }}' };
	const names = { site: 'getSite', stop: 'getSite', many: 'getManySites', units: 'getUnits' };
	return { operation: names[operation], ...ids, options };
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
