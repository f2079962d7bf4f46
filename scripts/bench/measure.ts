import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ITaskData } from 'n8n-workflow';
import { x, xSync } from 'tinyexec';
import { DEMO_ACCOUNT, Emulator } from '../../emulator/server';
import { madeUpSite } from '../../emulator/sites';
import manifest from '../../package.json';
import { N8nHome } from '../../testbed/n8n/home';
import { installationOf } from '../../testbed/n8n/install';
import { MAIN_VERSION } from '../../testbed/n8n/versions';
import type { Stage } from '../../testbed/stage';
import { workflow } from '../../testbed/workflows';
import type { ScriptInput, ScriptOutput } from './bareScript.mjs';
import type { Loading } from './loadPackage.mjs';
import type { Usage } from './probe.mjs';
import { MEASURED, SCENARIOS, siteIds, stepsOf, type Scenario, type StepName } from './scenarios';

/** Which package is in n8n: that of this checkout, or the one that it is compared with. */
export type Build = 'this' | 'other';

/** One run of a step. CPU and memory are net: less those of the same process without the step. */
export interface Run {
	/** Of the step alone. */
	seconds: number;
	cpuMsPerSite: number;
	/** Growth of the process's peak memory. */
	memoryMB: number;
	/** Requests that were answered with 429. */
	refused: number;
	/** Sites that were asked for and are not in the item at their place. */
	lost: number;
}

export interface BenchSettings {
	/** Whether measured processes run on a core of their own. */
	isPinned: boolean;
	/** Folder for a CPU profile of each workflow. */
	profile: string | undefined;
	/** Ends the run that is under way. */
	signal: AbortSignal;
}

interface Program {
	/** What Node.js is given. */
	parameters: readonly string[];
	env?: NodeJS.ProcessEnv;
	stdin?: string;
}

/** n8n and the service do not share a core. */
const [N8N_CORE, SERVICE_CORE] = ['0', '1'];
const MOST_SITES = Math.max(...SCENARIOS.map(({ sites }) => sites));
const PACKAGE_FOLDER = path.join('.n8n/nodes/node_modules', manifest.name);
const EMPTY = { name: 'n8n-nodes-empty', version: '1.0.0', n8n: {} };
const N8N_SETTINGS = {
	// The least at which `n8n execute` prints the result.
	N8N_LOG_LEVEL: 'info',
	// No step needs a task runner, whose process would share the core with what is measured.
	N8N_RUNNERS_MODE: 'external',
	N8N_RUNNERS_AUTH_TOKEN: 'benchmark',
	// What n8n stores of an execution is no part of a step.
	EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
	EXECUTIONS_DATA_SAVE_ON_ERROR: 'none',
};

/** Moves this process, and the service in it, to a core of its own; false where that is not possible. */
export function pinService(): boolean {
	const pin = ['--all-tasks', '--cpu-list', '--pid', SERVICE_CORE, String(process.pid)];
	try {
		return xSync('taskset', pin).exitCode === 0;
	} catch {
		return false;
	}
}

/** The emulated service, and a real n8n for each build of the package. */
export class Bench {
	private readonly homes: Partial<Record<Build, N8nHome>> = {};

	private constructor(
		private readonly stage: Stage,
		private readonly emulator: Emulator,
		private readonly settings: BenchSettings,
	) {}

	/**
	 * @param stage what ends it.
	 * @param against the folder of the other build.
	 */
	static async open(
		stage: Stage,
		scenarios: readonly Scenario[],
		against: string | undefined,
		settings: BenchSettings,
	): Promise<Bench> {
		const emulator = await stage.keep(
			Emulator.start({
				sites: siteIds(MOST_SITES).map(madeUpSite),
				token: { lifetimeSeconds: 24 * 60 * 60 },
			}),
		);
		const bench = new Bench(stage, emulator, settings);
		await bench.install('this', scenarios);
		if (against !== undefined) await bench.install('other', scenarios, against);
		return bench;
	}

	/** Runs a step once, and the same process without it. */
	async run(scenario: Scenario, step: StepName, build: Build): Promise<Run> {
		const asked = siteIds(scenario.sites);
		const start = async (isBaseline: boolean) => {
			const program = isNode(step)
				? await this.n8n(build, workflowId(scenario, step, isBaseline))
				: this.script(isBaseline ? [] : asked);
			return await this.measure(program, scenario);
		};
		const baseline = await start(true);
		const { stdout, ...measured } = await start(false);
		const reading = isNode(step) ? readN8n(stdout) : (JSON.parse(stdout) as ScriptOutput);
		return {
			seconds: reading.seconds,
			cpuMsPerSite: (1000 * (measured.cpuSeconds - baseline.cpuSeconds)) / scenario.sites,
			memoryMB: measured.peakMemoryMB - baseline.peakMemoryMB,
			refused: this.emulator.journal.refusals,
			lost: asked.filter((id, index) => reading.siteIds[index] !== id).length,
		};
	}

	/** Loads a package, or one with nothing in it, once in n8n's Node.js. */
	async load(build: Build | 'empty'): Promise<Loading> {
		const { directory } = this.homeOf(build === 'empty' ? 'this' : build);
		const folder = path.join(directory, build === 'empty' ? EMPTY.name : PACKAGE_FOLDER);
		const n8n = path.resolve(installationOf(MAIN_VERSION).n8n, '../..');
		const { stdout } = await this.measure({
			parameters: ['--expose-gc', path.join(__dirname, 'loadPackage.mts'), n8n, folder],
			// As n8n sets it for its packages, which find n8n-workflow there.
			env: { NODE_PATH: path.dirname(n8n) },
		});
		return JSON.parse(stdout) as Loading;
	}

	private homeOf(build: Build): N8nHome {
		const home = this.homes[build];
		if (!home) throw new Error('There is no other build');
		return home;
	}

	private async install(
		build: Build,
		scenarios: readonly Scenario[],
		source?: string,
	): Promise<void> {
		const home = await this.stage.keep(N8nHome.create(MAIN_VERSION, N8N_SETTINGS, source));
		this.homes[build] = home;
		const empty = path.join(home.directory, EMPTY.name);
		await mkdir(empty);
		await writeFile(path.join(empty, 'package.json'), JSON.stringify(EMPTY));

		const { baseUrl } = this.emulator;
		const credentials = scenarios.map(({ name, requestsPerMinute }) => ({
			id: name,
			name,
			type: 'aquacultureApi',
			data: { baseUrl, ...DEMO_ACCOUNT, requestsPerMinute },
		}));
		const workflows = scenarios.flatMap((scenario) =>
			scenario.steps.filter(isNode).flatMap((step) => {
				const row = stepsOf(scenario, step, baseUrl, scenario.name);
				return [true, false].map((isBaseline) => {
					const id = workflowId(scenario, step, isBaseline);
					const steps = isBaseline ? row.slice(0, -1) : row;
					return { id, active: false, ...workflow(id, steps) };
				});
			}),
		);
		for (const [command, content] of [
			['import:credentials', credentials],
			['import:workflow', workflows],
		] as const) {
			const input = path.join(home.directory, 'import.json');
			await writeFile(input, JSON.stringify(content));
			await home.run([command, `--input=${input}`]);
		}
	}

	private async n8n(build: Build, id: string): Promise<Program> {
		const execute = ['execute', '--id', id, '--rawOutput'];
		const { parameters, env } = await this.homeOf(build).invocation(execute);
		const { profile } = this.settings;
		const name = `--cpu-prof-name=${build}-${id}.cpuprofile`;
		const profiler = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`, name] : [];
		return { parameters: [...profiler, ...parameters], env };
	}

	private script(asked: readonly number[]): Program {
		const { access_token: token } = this.emulator.tokens.issue(DEMO_ACCOUNT.username);
		const input: ScriptInput = {
			baseUrl: this.emulator.baseUrl,
			headers: { Authorization: `Bearer ${token}`, 'Service-Version': '2023-01-01' },
			siteIds: asked,
		};
		const stdin = JSON.stringify(input);
		return { parameters: [path.join(__dirname, 'bareScript.mts')], stdin };
	}

	/**
	 * Runs a program to its end.
	 *
	 * @throws Error with what it printed on standard error.
	 */
	private async measure(
		{ parameters, env = {}, stdin = '' }: Program,
		{ latencyMs, requestsPerMinute } = { latencyMs: 0, requestsPerMinute: 0 },
	): Promise<Usage & { stdout: string }> {
		this.emulator.reset();
		// Equal latencies would keep all requests in step, as no network does.
		const behaviour = { latencyMs, requestsPerMinute, latencyJitter: 0.4 };
		Object.assign(this.emulator.settings, behaviour);

		const { isPinned, signal } = this.settings;
		const pin = isPinned ? ['taskset', '--cpu-list', N8N_CORE] : [];
		const probe = ['--require', path.join(__dirname, 'probe.mts')];
		const [command, ...rest] = [...pin, installationOf(MAIN_VERSION).node, ...probe];
		// n8n ends before a pipe has taken everything that it prints.
		const printed = path.join(this.homeOf('this').directory, 'printed');
		const output = await open(printed, 'w');
		const child = x(command ?? '', [...rest, ...parameters], {
			stdin,
			// tinyexec leaves a listener on each signal that it is given.
			signal: AbortSignal.any([signal]),
			nodeOptions: { env, killSignal: 'SIGKILL', stdio: ['pipe', output.fd, 'pipe'] },
		});
		const { stderr, exitCode } = await child;
		await output.close();
		signal.throwIfAborted();
		// n8n 2.40.7 now and then crashes with SIGSEGV after its last line: what it did counts.
		const [, usage] = /\n(\{"cpuSeconds":.+\})$/.exec(stderr) ?? [];
		if (usage === undefined || (exitCode ?? 0) !== 0) {
			const end = child.signalCode ?? `status ${exitCode}`;
			throw new Error(`"${parameters.join(' ')}" ended with ${end}\n${stderr}`);
		}
		return { ...(JSON.parse(usage) as Usage), stdout: await readFile(printed, 'utf8') };
	}
}

const isNode = (step: StepName) => step !== 'script';

const workflowId = ({ name }: Scenario, step: StepName, isBaseline: boolean) =>
	`${name}-${step}${isBaseline ? '-baseline' : ''}`;

/** Reads what `n8n execute` prints, with lines of n8n's log before and after it. */
function readN8n(stdout: string) {
	const json = stdout.slice(stdout.search(/^\{$/m), stdout.lastIndexOf('\n}') + 2);
	const { data } = JSON.parse(json) as {
		data: { resultData: { runData: Record<string, ITaskData[]> } };
	};
	const [step] = data.resultData.runData[MEASURED] ?? [];
	if (!step) throw new Error('n8n has not run the measured step');
	const items = step.data?.main?.[0] ?? [];
	return { seconds: step.executionTime / 1000, siteIds: items.map((item) => item.json.siteId) };
}
