import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import type { IDataObject, ITaskData } from 'n8n-workflow';
import { x, xSync } from 'tinyexec';
import { DEMO_ACCOUNT, Emulator } from '../../emulator/server';
import { madeUpSite } from '../../emulator/sites';
import manifest from '../../package.json';
import { Failure } from '../../testbed/failure';
import { N8nHome } from '../../testbed/n8n/home';
import { install, installationOf } from '../../testbed/n8n/install';
import { MAIN_VERSION } from '../../testbed/n8n/versions';
import { Stage } from '../../testbed/stage';
import { NODE_TYPE, step, workflow, type Step } from '../../testbed/workflows';
import { command, interrupted, readOptions, say } from '../commandLine';
import { median, table, versions, withBetween } from '../figures';
import type { Loading, Reading, Usage } from './child.mjs';

const USAGE = `npm run bench -- [options]

  --against <folder>  measures a built checkout of another commit too, in turns with this one
  --quick             one run of a tenth of the sites, to try the benchmark itself: writes nothing and misses no target

The benchmark needs Linux and a machine that does nothing else. It writes its figures to docs/performance.md.`;

const PAGE = path.resolve(__dirname, '../../docs/performance.md');
const MARKS = ['<!-- figures: written by npm run bench -->', '<!-- end of figures -->'] as const;

/** How many sites a step reads, and how long an answer of the service takes. */
const SCENARIOS = {
	cpu: { sites: 5000, latencyMs: 0 },
	time: { sites: 1000, latencyMs: 50 },
};
type ScenarioName = keyof typeof SCENARIOS;

const STEPS = {
	getSite: 'Get Site',
	getManySites: 'Get Many Sites',
	httpRequest: 'HTTP Request, same credential',
	script: 'Bare script',
};
type StepName = keyof typeof STEPS;

/** Which package is in n8n: that of this checkout, or the one that it is compared with. */
type Build = 'this' | 'other';

/** One run of a step. CPU and memory are net: less those of the same process without the step. */
interface Run {
	/** Of the step alone. */
	seconds: number;
	cpuMsPerSite: number;
	/** Growth of the process's peak memory. */
	memoryMB: number;
	/** Sites that were asked for and are not in the item at their place. */
	lost: number;
}

/** The median of the runs of a step. */
type Row = Run & { scenario: ScenarioName; step: StepName; build: Build };

/** n8n and the service do not share a core. */
const [N8N_CORE, SERVICE_CORE] = ['0', '1'];
const MEASURED = 'Measured';
const EMPTY = { name: 'n8n-nodes-empty', version: '1.0.0', n8n: {} };
const CHILD = path.join(__dirname, 'child.mts');
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

const siteIds = (count: number) => Array.from({ length: count }, (_, index) => 100_001 + index);
const workflowId = (...words: string[]) => words.join('-');

/** The steps of a workflow: a trigger, what makes an item of each site, and the measured step. */
function stepsOf(name: StepName, sites: number, baseUrl: string): Step[] {
	const settings = {
		credentials: { aquacultureApi: { id: 'account', name: 'account' } },
		// A failed item becomes an error item, so that the sites that arrive can be counted.
		onError: 'continueRegularOutput' as const,
	};
	const start = step('Start', 'manualTrigger');
	const aquaculture = (parameters: IDataObject) =>
		step(MEASURED, NODE_TYPE, { operation: name, ...parameters }, settings);
	const ids = siteIds(sites);
	if (name === 'getManySites') {
		return [start, aquaculture({ sites: 'byId', siteIds: ids.join(), simplify: false })];
	}
	const request = {
		url: `=${baseUrl}/meta/sites/{{ $json.siteId }}?$include=units,info`,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'aquacultureApi',
	};
	const list = { mode: 'raw', jsonOutput: JSON.stringify({ siteId: ids }) };
	return [
		start,
		step('List', 'set', list, { typeVersion: 3.4 }),
		step('Items', 'splitOut', { fieldToSplitOut: 'siteId' }),
		name === 'getSite'
			? aquaculture({ siteId: '={{ $json.siteId }}' })
			: step(MEASURED, 'httpRequest', request, { ...settings, typeVersion: 4.5 }),
	];
}

/** The emulated service, and a real n8n for each build of the package. */
class Bench {
	private readonly homes = new Map<Build, N8nHome>();

	constructor(
		private readonly stage: Stage,
		private readonly emulator: Emulator,
		private readonly signal: AbortSignal,
		/** By how much there are fewer sites than in a full run. */
		private readonly scale: number,
	) {}

	async install(build: Build, source?: string): Promise<void> {
		const home = await this.stage.keep(N8nHome.create(MAIN_VERSION, N8N_SETTINGS, source));
		this.homes.set(build, home);
		await mkdir(path.join(home.directory, EMPTY.name));
		const manifestFile = path.join(home.directory, EMPTY.name, 'package.json');
		await writeFile(manifestFile, JSON.stringify(EMPTY));
		const { baseUrl } = this.emulator;
		const data = { baseUrl, ...DEMO_ACCOUNT, requestsPerMinute: 0 };
		const credential = { id: 'account', name: 'account', type: 'aquacultureApi', data };
		const workflows = (['cpu', 'time'] as const).flatMap((scenario) =>
			(['getSite', 'getManySites', 'httpRequest'] as const).flatMap((name) => {
				const steps = stepsOf(name, this.sitesOf(scenario), baseUrl);
				const saved = (kind: string, row: Step[]) => {
					const id = workflowId(scenario, name, kind);
					return { id, active: false, ...workflow(id, row) };
				};
				return [saved('whole', steps), saved('baseline', steps.slice(0, -1))];
			}),
		);
		await this.import('import:credentials', [credential], home);
		await this.import('import:workflow', workflows, home);
	}

	/** Runs a step once, and the same process without it. */
	async run(scenario: ScenarioName, name: StepName, build: Build): Promise<Run> {
		const { latencyMs } = SCENARIOS[scenario];
		const asked = siteIds(this.sitesOf(scenario));
		const measured = async (kind: 'baseline' | 'whole') => {
			if (name !== 'script') {
				const execute = ['execute', '--id', workflowId(scenario, name, kind), '--rawOutput'];
				const { parameters, env } = await this.homeOf(build).invocation(execute);
				return await this.measure(parameters, { env, latencyMs });
			}
			const reading: Reading = {
				baseUrl: this.emulator.baseUrl,
				headers: { Authorization: `Bearer ${this.token()}`, 'Service-Version': '2023-01-01' },
				siteIds: kind === 'whole' ? asked : [],
			};
			return await this.measure([CHILD], { stdin: JSON.stringify(reading), latencyMs });
		};
		const baseline = await measured('baseline');
		const whole = await measured('whole');
		const { seconds, siteIds: got } =
			name === 'script'
				? (JSON.parse(whole.stdout) as Awaited<ReturnType<typeof resultOf>>)
				: resultOf(whole.stdout);
		return {
			seconds,
			cpuMsPerSite: (1000 * (whole.cpuSeconds - baseline.cpuSeconds)) / asked.length,
			memoryMB: whole.peakMemoryMB - baseline.peakMemoryMB,
			lost: asked.filter((id, index) => got[index] !== id).length,
		};
	}

	/** Loads a package, or one with nothing in it, once in n8n's Node.js. */
	async load(build: Build | 'empty'): Promise<Loading> {
		const { directory } = this.homeOf(build === 'empty' ? 'this' : build);
		const installed = path.join('.n8n/nodes/node_modules', manifest.name);
		const folder = path.join(directory, build === 'empty' ? EMPTY.name : installed);
		const n8n = path.resolve(installationOf(MAIN_VERSION).n8n, '../..');
		// As n8n sets it for its packages, which find n8n-workflow there.
		const env = { NODE_PATH: path.dirname(n8n) };
		const { stdout } = await this.measure(['--expose-gc', CHILD, 'load', n8n, folder], { env });
		return JSON.parse(stdout) as Loading;
	}

	private sitesOf(scenario: ScenarioName): number {
		return SCENARIOS[scenario].sites / this.scale;
	}

	private homeOf(build: Build): N8nHome {
		const home = this.homes.get(build);
		if (!home) throw new Error('There is no other build');
		return home;
	}

	private token(): string {
		return this.emulator.tokens.issue(DEMO_ACCOUNT.username).access_token;
	}

	private async import(name: string, content: unknown, home: N8nHome): Promise<void> {
		const input = path.join(home.directory, 'import.json');
		await writeFile(input, JSON.stringify(content));
		await home.run([name, `--input=${input}`]);
	}

	/**
	 * Runs a program of Node.js to its end.
	 *
	 * @throws Error with what it printed on standard error.
	 */
	private async measure(
		parameters: readonly string[],
		{
			env = {},
			stdin = '',
			latencyMs = 0,
		}: { env?: NodeJS.ProcessEnv; stdin?: string; latencyMs?: number },
	): Promise<Usage & { stdout: string }> {
		this.emulator.reset();
		// Equal latencies would keep all requests in step, as no network does.
		Object.assign(this.emulator.settings, { latencyMs, latencyJitter: 0.4, requestsPerMinute: 0 });
		const { node } = installationOf(MAIN_VERSION);
		// n8n ends before a pipe has taken everything that it prints.
		const printed = path.join(this.homeOf('this').directory, 'printed');
		const output = await open(printed, 'w');
		const words = ['--cpu-list', N8N_CORE, node, '--require', CHILD, ...parameters];
		const child = x('taskset', words, {
			stdin,
			// tinyexec leaves a listener on each signal that it is given.
			signal: AbortSignal.any([this.signal]),
			nodeOptions: { env, killSignal: 'SIGKILL', stdio: ['pipe', output.fd, 'pipe'] },
		});
		const { stderr, exitCode } = await child;
		await output.close();
		this.signal.throwIfAborted();
		// n8n 2.40.7 now and then crashes with SIGSEGV after its last line: what it did counts.
		const [, usage] = /\n(\{"cpuSeconds":.+\})$/.exec(stderr) ?? [];
		if (usage === undefined || (exitCode ?? 0) !== 0) {
			throw new Error(`"${parameters.join(' ')}" ended with ${exitCode}\n${stderr}`);
		}
		return { ...(JSON.parse(usage) as Usage), stdout: await readFile(printed, 'utf8') };
	}
}

/** Reads what `n8n execute` prints, with lines of n8n's log before and after it. */
function resultOf(stdout: string): { seconds: number; siteIds: unknown[] } {
	const json = stdout.slice(stdout.search(/^\{$/m), stdout.lastIndexOf('\n}') + 2);
	const { data } = JSON.parse(json) as {
		data: { resultData: { runData: Record<string, ITaskData[]> } };
	};
	const [task] = data.resultData.runData[MEASURED] ?? [];
	if (!task) throw new Error('n8n has not run the measured step');
	const items = task.data?.main?.[0] ?? [];
	return {
		seconds: task.executionTime / 1000,
		siteIds: items.map(({ json: { siteId } }) => siteId),
	};
}

/** Runs all steps in turns, so that a drift of the machine affects all of them alike. */
async function measureSteps(bench: Bench, builds: readonly Build[], runs: number): Promise<Row[]> {
	const rows: Row[] = [];
	for (const scenario of ['cpu', 'time'] as const) {
		const steps = (Object.keys(STEPS) as StepName[]).flatMap((name) =>
			(name === 'getSite' || name === 'getManySites' ? builds : (['this'] as const)).map(
				(build) => ({ name, build, done: [] as Run[] }),
			),
		);
		for (let round = 1; round <= runs; round++) {
			for (const { name, build, done } of steps) {
				done.push(await bench.run(scenario, name, build));
				say(
					`${scenario} ${round}/${runs}: ${STEPS[name]} (${build}) ${JSON.stringify(done.at(-1))}`,
				);
			}
		}
		for (const { name, build, done } of steps) {
			const middle = (figure: keyof Run) => median(done.map((run) => run[figure]));
			rows.push({
				...{ scenario, step: name, build },
				seconds: middle('seconds'),
				cpuMsPerSite: middle('cpuMsPerSite'),
				memoryMB: middle('memoryMB'),
				lost: Math.max(...done.map(({ lost }) => lost)),
			});
		}
	}
	return rows;
}

/** What loading the package costs more than loading an empty one, in turns with it. */
async function measureLoading(bench: Bench, times: number): Promise<Loading> {
	const [empty, whole]: [Loading[], Loading[]] = [[], []];
	for (let time = 0; time < times; time++) {
		empty.push(await bench.load('empty'));
		whole.push(await bench.load('this'));
	}
	const net = (figure: keyof Loading) =>
		median(whole.map((each) => each[figure])) - median(empty.map((each) => each[figure]));
	return { milliseconds: net('milliseconds'), heapMB: net('heapMB') };
}

/** What the package must reach, with what was measured. */
function targetsOf(rows: readonly Row[], loading: Loading, against?: string) {
	const of = (figure: keyof Run, scenario: ScenarioName, name: StepName, build: Build = 'this') =>
		rows.find((row) => row.scenario === scenario && row.step === name && row.build === build)?.[
			figure
		] ?? NaN;
	const perStep = (['getSite', 'getManySites'] as const).flatMap((name) => {
		const cpu = of('cpuMsPerSite', 'cpu', name);
		const time = of('seconds', 'time', name);
		const before = cpu / of('cpuMsPerSite', 'cpu', name, 'other');
		return [
			[
				`${STEPS[name]}: CPU, of HTTP Request`,
				0.35,
				cpu / of('cpuMsPerSite', 'cpu', 'httpRequest'),
			],
			[`${STEPS[name]}: time, of the bare script`, 1.2, time / of('seconds', 'time', 'script')],
			...(against === undefined ? [] : [[`${STEPS[name]}: CPU, of ${against}`, 1.15, before]]),
		] as Array<[string, number, number]>;
	});
	const targets: Array<[what: string, atMost: number, measured: number]> = [
		...perStep,
		['Sites lost, in all rows', 0, rows.reduce((sum, { lost }) => sum + lost, 0)],
		['Loading, more than an empty package: ms', 15, loading.milliseconds],
		['Loading, more than an empty package: MB of heap', 3, loading.heapMB],
	];
	return targets.map(([what, atMost, measured]) => ({
		what,
		atMost,
		measured,
		isMet: measured <= atMost,
	}));
}

function report(rows: readonly Row[], targets: ReturnType<typeof targetsOf>, against = ''): string {
	const tableOf = (scenario: ScenarioName) =>
		table(
			['', 'seconds', 'CPU ms/site', 'memory +MB', 'lost'],
			rows
				.filter((row) => row.scenario === scenario)
				.map(({ step: name, build, seconds, cpuMsPerSite, memoryMB, lost }) => [
					STEPS[name] + (build === 'other' ? `, ${against}` : ''),
					seconds.toFixed(2),
					cpuMsPerSite.toFixed(2),
					memoryMB.toFixed(0),
					String(lost),
				]),
		);
	const { package: version, n8n, node } = versions();
	return [
		`Measured on ${new Date().toISOString().slice(0, 10)}: package ${version}, n8n ${n8n} on Node.js ${node}; ${cpus()[0]?.model.trim()}; n8n and the service on a core each. Medians of three runs.`,
		'### Targets',
		table(
			['', 'at most', 'measured', ''],
			targets.map(({ what, atMost, measured, isMet }) => [
				what,
				String(atMost),
				measured.toFixed(2),
				isMet ? 'met' : 'missed',
			]),
		),
		'### 5,000 sites, 0 ms latency',
		tableOf('cpu'),
		'### 1,000 sites, 50 ms latency',
		tableOf('time'),
	].join('\n\n');
}

async function main(): Promise<void> {
	const { against, quick, help } = readOptions({
		against: { type: 'string' },
		quick: { type: 'boolean', default: false },
		help: { type: 'boolean', default: false },
	});
	if (help) return console.log(USAGE);
	await install(MAIN_VERSION);
	const pin = ['--all-tasks', '--cpu-list', '--pid', SERVICE_CORE, String(process.pid)];
	if (xSync('taskset', pin).exitCode !== 0) throw new Failure('The benchmark needs two cores');
	const stage = new Stage();
	try {
		say('Setting up n8n and the emulated service');
		const sites = siteIds(SCENARIOS.cpu.sites).map(madeUpSite);
		const token = { lifetimeSeconds: 24 * 60 * 60 };
		const emulator = await stage.keep(Emulator.start({ sites, token }));
		const bench = new Bench(stage, emulator, interrupted(), quick ? 10 : 1);
		await bench.install('this');
		if (against !== undefined) await bench.install('other', path.resolve(against));
		const builds: Build[] = against === undefined ? ['this'] : ['this', 'other'];
		const rows = await measureSteps(bench, builds, quick ? 1 : 3);
		const loading = await measureLoading(bench, quick ? 3 : 15);
		const other = against && path.basename(path.resolve(against));
		const targets = targetsOf(rows, loading, other);
		const figures = report(rows, targets, other);
		console.log(figures);
		if (quick) return;
		await writeFile(PAGE, withBetween(await readFile(PAGE, 'utf8'), MARKS, figures));
		const missed = targets.filter(({ isMet }) => !isMet).map(({ what }) => what);
		if (missed.length > 0) throw new Failure(`Missed: ${missed.join('; ')}`);
	} finally {
		await stage.end();
	}
}

command(main, USAGE);
