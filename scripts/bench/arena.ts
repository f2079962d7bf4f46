import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import axios from 'axios';
import type { Token } from '../../api/token';
import { TOKEN_PATH } from '../../api/tokenEndpoint';
import { DEMO_ACCOUNT } from '../../emulator/server';
import { N8nHome } from '../../testbed/n8n/home';
import { installationOf, MAIN_VERSION } from '../../testbed/n8n/install';
import {
	CONTESTANTS,
	type Access,
	type ContestantName,
	type FloorContestant,
	type NodeContestant,
} from './contestants';
import type { FloorOrder } from './floor';
import { measure, type Program } from './measure';
import type { Usage } from './probe.mjs';
import { readExecution, readFloor } from './readings';
import type { Scenario } from './scenarios';
import { Service, type Seen } from './service';
import { siteIds } from './siteIds';
import { workflow, type ImportedWorkflow } from './workflows';

/** What a contestant is compared with: the same process, but for the requests. */
export type Baseline = 'items' | 'list' | 'undici' | 'axios';

/** What every scenario has in common; the credential is that of the scenario's limit. */
type PlainAccess = Omit<Access, 'credential'>;

/** One run of a contestant in a fresh process. */
export interface Run extends Usage, Seen {
	/** Time of the whole process, its start included. */
	processSeconds: number;
	/** Time of the step that makes the requests. */
	stepSeconds: number;
	/** Items that hold the site that was asked for, at the place where it was asked for. */
	itemsArrived: number;
}

const FLOOR = path.join(__dirname, 'floor.ts');

/** A service, and a real n8n with the workflows of the scenarios, in which contestants are run one at a time. */
export class Arena {
	private constructor(
		private readonly service: Service,
		private readonly home: N8nHome,
		private readonly access: PlainAccess,
	) {}

	static async open(scenarios: readonly Scenario[]): Promise<Arena> {
		const service = await Service.start();
		const access = await logIn(service.baseUrl);
		const home = await N8nHome.create(MAIN_VERSION, {
			// The least at which `n8n execute` prints the result.
			N8N_LOG_LEVEL: 'info',
			// No step needs a task runner, whose process would share the core with what is measured.
			N8N_RUNNERS_MODE: 'external',
			N8N_RUNNERS_AUTH_TOKEN: 'benchmark',
			// What n8n stores of an execution is no part of a step.
			EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
			EXECUTIONS_DATA_SAVE_ON_ERROR: 'none',
		});
		const arena = new Arena(service, home, access);
		try {
			await arena.import(scenarios);
		} catch (error) {
			await arena.close();
			throw error;
		}
		return arena;
	}

	async close(): Promise<void> {
		await this.home.stop();
	}

	/**
	 * Runs a contestant once.
	 *
	 * @param nodeOptions options for the Node.js that it runs on.
	 */
	async run(
		scenario: Scenario,
		name: ContestantName,
		nodeOptions: readonly string[] = [],
	): Promise<Run> {
		const contestant = CONTESTANTS[name];
		await this.service.prepare(scenario.service);
		const program =
			contestant.input === 'floor'
				? this.floor(contestant, siteIdsOf(scenario))
				: await this.n8n(workflowId(scenario, name));
		const { output, ...measured } = await measure(program, this.home.directory, nodeOptions);
		const reading = contestant.input === 'floor' ? readFloor(output) : readExecution(output);
		const asked = siteIdsOf(scenario);
		return {
			...measured,
			...(await this.service.seen()),
			stepSeconds: reading.stepSeconds,
			itemsArrived: asked.filter((siteId, index) => reading.siteIds[index] === siteId).length,
		};
	}

	/** Runs what contestants are compared with once. */
	async runBaseline(scenario: Scenario, baseline: Baseline): Promise<Usage> {
		const program =
			baseline === 'items' || baseline === 'list'
				? await this.n8n(workflowId(scenario, baseline))
				: this.floor({ client: baseline, concurrency: 1 }, []);
		const { cpuSeconds, peakMemoryMB } = await measure(program, this.home.directory);
		return { cpuSeconds, peakMemoryMB };
	}

	private async import(scenarios: readonly Scenario[]): Promise<void> {
		const limits = new Set(scenarios.map(({ service }) => service.requestsPerMinute));
		const credentials = [...limits].map((requestsPerMinute) => ({
			id: credentialFor(requestsPerMinute),
			name: credentialFor(requestsPerMinute),
			type: 'aquacultureApi',
			data: { baseUrl: this.access.baseUrl, ...DEMO_ACCOUNT, requestsPerMinute },
		}));
		await this.importFile('import:credentials', credentials);
		await this.importFile(
			'import:workflow',
			scenarios.flatMap((scenario) => workflowsOf(scenario, this.access)),
		);
	}

	private async importFile(command: string, content: readonly unknown[]): Promise<void> {
		const file = path.join(this.home.directory, 'import.json');
		await writeFile(file, JSON.stringify(content));
		await this.home.run([command, `--input=${file}`]);
	}

	private async n8n(workflowToRun: string): Promise<Program> {
		return await this.home.invocation(['execute', '--id', workflowToRun, '--rawOutput']);
	}

	private floor(
		{ client, concurrency }: Pick<FloorContestant, 'client' | 'concurrency'>,
		asked: readonly number[],
	): Program {
		const { baseUrl, headers } = this.access;
		const order: FloorOrder = { client, concurrency, baseUrl, headers, siteIds: asked };
		return {
			command: installationOf(MAIN_VERSION).node,
			parameters: ['--import', 'tsx', FLOOR],
			input: JSON.stringify(order),
		};
	}
}

/** What a contestant is compared with. */
export function baselineOf(name: ContestantName): Baseline {
	const contestant = CONTESTANTS[name];
	return contestant.input === 'floor' ? contestant.client : contestant.input;
}

async function logIn(baseUrl: string): Promise<PlainAccess> {
	const login = await axios.post<Token>(`${baseUrl}${TOKEN_PATH}`, DEMO_ACCOUNT, {
		headers: { 'Service-Version': '2025-01-01' },
	});
	return {
		baseUrl,
		headers: {
			Authorization: `Bearer ${login.data.access_token}`,
			'Service-Version': '2023-01-01',
		},
	};
}

const siteIdsOf = ({ items, distinctSites }: Scenario) => siteIds(items, distinctSites);

const credentialFor = (requestsPerMinute: number) => `${requestsPerMinute}-a-minute`;

const workflowId = (scenario: Scenario, name: string) => `${scenario.name}-${name}`;

function workflowsOf(scenario: Scenario, plain: PlainAccess): ImportedWorkflow[] {
	const access = { ...plain, credential: credentialFor(scenario.service.requestsPerMinute) };
	const asked = siteIdsOf(scenario);
	const isNode = ([, { input }]: [string, { input: string }]): boolean => input !== 'floor';
	const nodes = scenario.contestants
		.map((name) => [name, CONTESTANTS[name]] as const)
		.filter((entry): entry is [ContestantName, NodeContestant] => isNode([...entry]));
	return [
		workflow(workflowId(scenario, 'items'), asked, undefined),
		workflow(workflowId(scenario, 'list'), undefined, undefined),
		...nodes.map(([name, { input, step }]) =>
			workflow(
				workflowId(scenario, name),
				input === 'items' ? asked : undefined,
				step(access, asked),
			),
		),
	];
}
