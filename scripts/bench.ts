import { open, readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ITaskData } from 'n8n-workflow';
import { x, xSync } from 'tinyexec';
import { DEMO_ACCOUNT, Emulator } from '../emulator/server';
import { madeUpSite } from '../emulator/sites';
import manifest from '../package.json';
import { Failure } from '../testbed/failure';
import { N8nHome } from '../testbed/n8n/home';
import { install, installationOf } from '../testbed/n8n/install';
import { unlimitedAccount } from '../testbed/n8n/unlimited';
import { MAIN_VERSION } from '../testbed/n8n/versions';
import { Stage } from '../testbed/stage';
import { NODE_TYPE, step, workflow, type Step } from '../testbed/workflows';
import { command, interrupted, readOptions, say } from './commandLine';
import { median, table, versions, withBetween } from './figures';

const USAGE = `npm run bench [-- --quick]

  --quick  one run of a tenth of the sites, to try the benchmark itself: writes nothing and misses no target

The benchmark needs Linux and a machine that does nothing else. It writes its figures to docs/performance.md.`;

const PAGE = path.resolve(__dirname, '../docs/performance.md');
const MARKS = ['<!-- figures: written by npm run bench -->', '<!-- end of figures -->'] as const;

/** What is asked of the service. */
interface Scenario {
	sites: number;
	latencyMs: number;
}

/** CPU is compared without latency: waiting costs each way of reading the same. */
const WITHOUT_LATENCY: Scenario = { sites: 5000, latencyMs: 0 };
const WITH_LATENCY: Scenario = { sites: 1000, latencyMs: 50 };
const ROUNDS = 3;
const LOADS = 15;
/** n8n and the service do not share a core. */
const [N8N_CORE, SERVICE_CORE] = ['0', '1'];
const MEASURED = 'Measured';
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

/** Each measured process loads it, and writes what it has used to standard error as its last line. */
const METER = String.raw`
import { readFileSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
if (isMainThread) process.on('exit', () => {
	const { user, system } = process.cpuUsage();
	// Unlike getrusage's figure, this one counts the program alone, not what the process ran before it.
	const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
	const usage = { cpuSeconds: (user + system) / 1e6, peakMemoryMB: kilobytes / 1024 };
	writeSync(2, '\n' + JSON.stringify(usage));
});`;

/** Reads sites as a script without n8n does, as many at once as the node. */
const SCRIPT = String.raw`
const [baseUrl, token, count] = process.argv.slice(1);
const begin = performance.now();
const siteIds = [];
let index = 0;
const headers = { Authorization: 'Bearer ' + token, 'Service-Version': '2023-01-01' };
const work = async () => {
	while (index < count) {
		const place = index++;
		const url = baseUrl + '/meta/sites/' + (100001 + place) + '?$include=units,info';
		siteIds[place] = (await (await fetch(url, { headers })).json()).siteId;
	}
};
await Promise.all(Array.from({ length: 20 }, work));
console.log(JSON.stringify({ seconds: (performance.now() - begin) / 1000, siteIds }));`;

/** Loads the nodes and the credential of a package, in a process that has what n8n has loaded before. */
const LOAD = String.raw`
import { createRequire } from 'node:module';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
const [folder] = process.argv.slice(1);
const require = createRequire(path.join(folder, 'package.json'));
require('n8n-workflow');
const { credentials, nodes } = require('./package.json').n8n;
const heapMB = () => {
	globalThis.gc();
	return process.memoryUsage().heapUsed / 1e6;
};
const before = heapMB();
const begin = performance.now();
for (const file of [...credentials, ...nodes]) require('./' + file);
const milliseconds = performance.now() - begin;
console.log(JSON.stringify({ milliseconds, heapMB: heapMB() - before }));`;

/** What a process has used by its end. */
interface Usage {
	/** User and system time of all its threads. */
	cpuSeconds: number;
	/** The most memory that it has held at once. */
	peakMemoryMB: number;
}

/** What a step has read. */
interface Reading {
	/** Of the step alone. */
	seconds: number;
	siteIds: unknown[];
}

/** What a run of a step has cost. CPU and memory are net: less those of the same process without the step. */
interface Cost {
	seconds: number;
	cpuMsPerSite: number;
	/** Growth of the process's peak memory. */
	memoryMB: number;
}

/** What loading the package costs; the heap is measured after a garbage collection. */
interface Loading {
	milliseconds: number;
	heapMB: number;
}

const STEPS = {
	getSite: 'Get Site',
	httpRequest: 'HTTP Request, same credential',
	script: 'Bare script',
};
type StepName = keyof typeof STEPS;
const STEP_NAMES = Object.keys(STEPS) as StepName[];

/** A trigger, what makes an item of each site, and the measured step, if there is one. */
function stepsOf(
	name: 'none' | 'getSite' | 'httpRequest',
	siteIds: readonly number[],
	baseUrl: string,
): Step[] {
	const list = { mode: 'raw', jsonOutput: JSON.stringify({ siteId: siteIds }) };
	const input = [
		step('Start', 'manualTrigger'),
		step('List', 'set', list, { typeVersion: 3.4 }),
		step('Items', 'splitOut', { fieldToSplitOut: 'siteId' }),
	];
	const credentials = { aquacultureApi: { id: 'account', name: 'account' } };
	if (name === 'none') return input;
	if (name === 'getSite') {
		const parameters = { operation: 'getSite', siteId: '={{ $json.siteId }}' };
		return [...input, step(MEASURED, NODE_TYPE, parameters, { credentials })];
	}
	const request = {
		url: `=${baseUrl}/meta/sites/{{ $json.siteId }}?$include=units,info`,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'aquacultureApi',
	};
	return [...input, step(MEASURED, 'httpRequest', request, { credentials, typeVersion: 4.5 })];
}

/** The emulated service, and a real n8n with the package. */
class Bench {
	private constructor(
		private readonly emulator: Emulator,
		private readonly home: N8nHome,
		private readonly signal: AbortSignal,
		private readonly asked: readonly number[],
	) {}

	static async start(
		stage: Stage,
		{ sites, latencyMs }: Scenario,
		signal: AbortSignal,
	): Promise<Bench> {
		const asked = Array.from({ length: sites }, (_, index) => 100_001 + index);
		const emulator = await stage.keep(
			Emulator.start({
				sites: asked.map(madeUpSite),
				token: { lifetimeSeconds: 24 * 60 * 60 },
				requestsPerMinute: 0,
				latencyMs,
				// Equal latencies would keep all requests in step, as no network does.
				latencyJitter: 0.4,
			}),
		);
		const home = await stage.keep(N8nHome.create(MAIN_VERSION, N8N_SETTINGS));
		const bench = new Bench(emulator, home, signal, asked);
		await bench.import('credentials', {
			id: 'account',
			name: 'account',
			type: 'aquacultureApi',
			data: unlimitedAccount(emulator.baseUrl),
		});
		for (const name of ['none', 'getSite', 'httpRequest'] as const) {
			const steps = stepsOf(name, asked, emulator.baseUrl);
			await bench.import('workflow', { id: name, active: false, ...workflow(name, steps) });
		}
		return bench;
	}

	/**
	 * Runs a step once, and the same process without it.
	 *
	 * @throws Failure if a site is missing.
	 */
	async run(name: StepName): Promise<Cost> {
		const isScript = name === 'script';
		const baseline = isScript ? await this.runScript(0) : await this.runN8n('none');
		const whole = isScript ? await this.runScript(this.asked.length) : await this.runN8n(name);
		const { seconds, siteIds } = isScript
			? (JSON.parse(whole.stdout) as Reading)
			: readingOf(whole.stdout);
		if (!isDeepStrictEqual(siteIds, this.asked)) throw new Failure(`${STEPS[name]} lost sites`);
		return {
			seconds,
			cpuMsPerSite: (1000 * (whole.cpuSeconds - baseline.cpuSeconds)) / this.asked.length,
			memoryMB: whole.peakMemoryMB - baseline.peakMemoryMB,
		};
	}

	/** Loads the package once in n8n's Node.js. */
	async load(): Promise<Loading> {
		const folder = path.join(this.home.directory, '.n8n/nodes/node_modules', manifest.name);
		// As n8n sets it for its packages, which find n8n-workflow there.
		const env = { NODE_PATH: path.resolve(installationOf(MAIN_VERSION).n8n, '../../..') };
		const { stdout } = await this.measure(['--expose-gc', ...evaluating(LOAD), folder], env);
		return JSON.parse(stdout) as Loading;
	}

	private async import(what: 'credentials' | 'workflow', content: object): Promise<void> {
		const input = path.join(this.home.directory, 'import.json');
		await writeFile(input, JSON.stringify([content]));
		await this.home.run([`import:${what}`, `--input=${input}`]);
	}

	private async runN8n(workflowId: string) {
		const words = ['execute', '--id', workflowId, '--rawOutput'];
		const { parameters, env } = await this.home.invocation(words);
		return await this.measure(parameters, env);
	}

	private async runScript(siteCount: number) {
		const { baseUrl, tokens } = this.emulator;
		const { access_token: token } = tokens.issue(DEMO_ACCOUNT.username);
		return await this.measure([...evaluating(SCRIPT), baseUrl, token, String(siteCount)]);
	}

	/**
	 * Runs a program of n8n's Node.js to its end.
	 *
	 * @throws Error with what it printed on standard error.
	 */
	private async measure(
		parameters: readonly string[],
		env: NodeJS.ProcessEnv = {},
	): Promise<Usage & { stdout: string }> {
		// What has been written down of earlier requests takes memory and time.
		this.emulator.reset();
		const meter = `data:text/javascript,${encodeURIComponent(METER)}`;
		const { node } = installationOf(MAIN_VERSION);
		const words = ['--cpu-list', N8N_CORE, node, '--import', meter, ...parameters];
		// n8n ends before a pipe has taken everything that it prints.
		const printed = path.join(this.home.directory, 'printed');
		const output = await open(printed, 'w');
		const child = x('taskset', words, {
			// tinyexec leaves a listener on each signal that it is given.
			signal: AbortSignal.any([this.signal]),
			nodeOptions: { env, killSignal: 'SIGKILL', stdio: ['ignore', output.fd, 'pipe'] },
		});
		const { stderr, exitCode } = await child;
		await output.close();
		this.signal.throwIfAborted();
		// n8n 2.40.7 now and then crashes with SIGSEGV after its last line: what it did counts.
		const [, usage] = /\n(\{"cpuSeconds":.+\})$/.exec(stderr) ?? [];
		if (usage === undefined || (exitCode ?? 0) !== 0) {
			throw new Error(`"${parameters.at(-1)}" ended with ${exitCode}\n${stderr}`);
		}
		return { ...(JSON.parse(usage) as Usage), stdout: await readFile(printed, 'utf8') };
	}
}

const evaluating = (code: string) => ['--input-type=module', '--eval', code];

/** Reads what `n8n execute` prints, with lines of n8n's log before and after it. */
function readingOf(stdout: string): Reading {
	const json = stdout.slice(stdout.search(/^\{$/m), stdout.lastIndexOf('\n}') + 2);
	const { data } = JSON.parse(json) as {
		data: { resultData: { runData: Record<string, ITaskData[]> } };
	};
	const [task] = data.resultData.runData[MEASURED] ?? [];
	if (!task) throw new Error('n8n has not run the measured step');
	const items = task.data?.main?.[0] ?? [];
	return {
		seconds: task.executionTime / 1000,
		siteIds: items.map((item) => item.json.siteId),
	};
}

/** Runs all steps in turns, so that a drift of the machine affects all of them alike. */
async function measureSteps(bench: Bench, rounds: number): Promise<Record<StepName, Cost>> {
	const runs: Record<StepName, Cost[]> = { getSite: [], httpRequest: [], script: [] };
	for (let round = 1; round <= rounds; round++) {
		for (const name of STEP_NAMES) {
			const run = await bench.run(name);
			runs[name].push(run);
			say(`${round} of ${rounds}: ${STEPS[name]} ${JSON.stringify(run)}`);
		}
	}
	return {
		getSite: medianOf(runs.getSite),
		httpRequest: medianOf(runs.httpRequest),
		script: medianOf(runs.script),
	};
}

function medianOf(runs: readonly Cost[]): Cost {
	return {
		seconds: median(runs.map(({ seconds }) => seconds)),
		cpuMsPerSite: median(runs.map(({ cpuMsPerSite }) => cpuMsPerSite)),
		memoryMB: median(runs.map(({ memoryMB }) => memoryMB)),
	};
}

async function measureLoading(bench: Bench, times: number): Promise<Loading> {
	const loads: Loading[] = [];
	for (let time = 0; time < times; time++) loads.push(await bench.load());
	return {
		milliseconds: median(loads.map(({ milliseconds }) => milliseconds)),
		heapMB: median(loads.map(({ heapMB }) => heapMB)),
	};
}

interface Target {
	what: string;
	atMost: number;
	measured: number;
}

const isMet = ({ measured, atMost }: Target) => measured <= atMost;

/** The costs of each step in a scenario. */
interface Measured {
	scenario: Scenario;
	rows: Record<StepName, Cost>;
}

/** What the package must reach, with what was measured. */
function targetsOf(withoutLatency: Measured, withLatency: Measured, loading: Loading): Target[] {
	const { getSite, httpRequest } = withoutLatency.rows;
	const cpu = getSite.cpuMsPerSite / httpRequest.cpuMsPerSite;
	const time = withLatency.rows.getSite.seconds / withLatency.rows.script.seconds;
	return [
		{ what: 'CPU, of HTTP Request', atMost: 0.35, measured: cpu },
		{ what: 'Time, of the bare script', atMost: 1.2, measured: time },
		{ what: 'Loading: ms', atMost: 15, measured: loading.milliseconds },
		{ what: 'Loading: MB of heap', atMost: 3, measured: loading.heapMB },
	];
}

function report(measured: readonly Measured[], targets: readonly Target[]): string {
	const { package: version, n8n, node } = versions();
	return [
		`Measured on ${new Date().toISOString().slice(0, 10)}: package ${version}, n8n ${n8n} on Node.js ${node}; ${cpus()[0]?.model.trim()}; n8n and the service on a core each. Medians of ${ROUNDS} runs.`,
		'### Targets of Get Site',
		table(
			['', 'at most', 'measured', ''],
			targets.map((target) => [
				target.what,
				String(target.atMost),
				target.measured.toFixed(2),
				isMet(target) ? 'met' : 'missed',
			]),
		),
		...measured.flatMap(({ scenario: { sites, latencyMs }, rows }) => [
			`### ${sites.toLocaleString('en')} sites, ${latencyMs} ms latency`,
			costsTable(rows),
		]),
	].join('\n\n');
}

function costsTable(rows: Record<StepName, Cost>): string {
	return table(
		['', 'seconds', 'CPU ms/site', 'memory +MB'],
		STEP_NAMES.map((name) => {
			const { seconds, cpuMsPerSite, memoryMB } = rows[name];
			return [STEPS[name], seconds.toFixed(2), cpuMsPerSite.toFixed(2), memoryMB.toFixed(0)];
		}),
	);
}

async function main(): Promise<void> {
	const { quick, help } = readOptions({
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
		const signal = interrupted();
		const measure = async ({ sites, latencyMs }: Scenario) => {
			const scenario = { sites: quick ? sites / 10 : sites, latencyMs };
			const bench = await Bench.start(stage, scenario, signal);
			return { bench, scenario, rows: await measureSteps(bench, quick ? 1 : ROUNDS) };
		};
		const withoutLatency = await measure(WITHOUT_LATENCY);
		const withLatency = await measure(WITH_LATENCY);
		const loading = await measureLoading(withLatency.bench, quick ? 1 : LOADS);
		const targets = targetsOf(withoutLatency, withLatency, loading);
		const figures = report([withoutLatency, withLatency], targets);
		console.log(figures);
		if (quick) return;
		await writeFile(PAGE, withBetween(await readFile(PAGE, 'utf8'), MARKS, figures));
		const missed = targets.filter((target) => !isMet(target)).map(({ what }) => what);
		if (missed.length > 0) throw new Failure(`Missed: ${missed.join('; ')}`);
	} finally {
		await stage.end();
	}
}

command(main, USAGE);
