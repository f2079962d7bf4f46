import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import type { ITaskData } from 'n8n-workflow';
import { xSync } from 'tinyexec';
import { DEMO_ACCOUNT, Emulator, UNLIMITED } from '../emulator/server';
import { madeUpSite } from '../emulator/sites';
import manifest from '../package.json';
import { run } from '../testbed/command';
import { Failure } from '../testbed/failure';
import { N8nHome } from '../testbed/n8n/home';
import { install, installationOf } from '../testbed/n8n/install';
import { unlimitedAccount } from '../testbed/n8n/unlimited';
import { VERSION } from '../testbed/n8n/versions';
import type { Stage } from '../testbed/stage';
import { credentialsOf, NODE_TYPE, step, workflow, type Step } from '../testbed/workflows';
import { command, say } from './commandLine';
import { table, withBetween } from './figures';

const PAGE = path.resolve(__dirname, '../docs/maintaining.md');
const MARKS = ['<!-- figures: written by npm run bench -->', '<!-- end of figures -->'] as const;

const ROUNDS = 3;
const LOADS = 15;
/** Waiting costs no CPU, so there is none where CPU is compared; enough sites to stand out from n8n's own start. */
const CPU = { sites: 5000, latencyMs: 0 };
const WALL = { sites: 1000, latencyMs: 50 };

const N8N = installationOf(VERSION);
const MEASURED = 'Measured';
const N8N_SETTINGS = {
	// The least at which `n8n execute` prints the result.
	N8N_LOG_LEVEL: 'info',
	// No step needs a task runner.
	N8N_RUNNERS_MODE: 'external',
	N8N_RUNNERS_AUTH_TOKEN: 'benchmark',
	// What n8n stores of an execution is no part of a step.
	EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
	EXECUTIONS_DATA_SAVE_ON_ERROR: 'none',
};

/** Prints what a program has printed on standard error and, as the last line, its CPU seconds. */
const MEASURE = String.raw`
TIMEFORMAT=$'\n%U %S'
# n8n ends before a pipe has taken everything that it prints, and now and then crashes after its last line (2.40.7).
{ time "$@" > "$PRINTED"; } 2>&1 || [ $? -eq 139 ]`;

/** Reads sites as a script without n8n does, as many at once as the node; prints seconds. */
const SCRIPT = String.raw`
const [baseUrl, token, count] = process.argv.slice(1);
const begin = performance.now();
let index = 0;
const headers = { Authorization: 'Bearer ' + token, 'Service-Version': '2023-01-01' };
const work = async () => {
	while (index < count) {
		const url = baseUrl + '/meta/sites/' + (100001 + index++) + '?$include=units,info';
		await (await fetch(url, { headers })).json();
	}
};
await Promise.all(Array.from({ length: 20 }, work));
console.log((performance.now() - begin) / 1000);`;

/** Loads the nodes and the credential of a package, in a process that has what n8n has loaded before; prints milliseconds. */
const LOAD = String.raw`
import { createRequire } from 'node:module';
const [folder] = process.argv.slice(1);
const require = createRequire(folder + '/package.json');
require('n8n-workflow');
const { credentials, nodes } = require('./package.json').n8n;
const begin = performance.now();
for (const file of [...credentials, ...nodes]) require('./' + file);
console.log(performance.now() - begin);`;

/** Of Get Site and of what it is compared with, in the same unit. */
type Pair = [own: number, other: number];

/** The emulated service, and a real n8n with the packed package, without a limit on either side. */
class Bench {
	private constructor(
		private readonly emulator: Emulator,
		private readonly home: N8nHome,
	) {}

	static async start(stage: Stage): Promise<Bench> {
		const sites = idsOf(CPU.sites).map(madeUpSite);
		const emulator = await stage.keep(
			// Equal latencies would keep all requests in step, as no network does.
			Emulator.start({ ...UNLIMITED, sites, latencyJitter: 0.4 }),
		);
		const home = await stage.keep(N8nHome.create(N8N_SETTINGS));
		const { baseUrl } = emulator;
		const importFile = async (what: 'credentials' | 'workflow', content: unknown) => {
			const input = path.join(home.directory, 'import.json');
			await writeFile(input, JSON.stringify(content));
			await home.run([`import:${what}`, `--input=${input}`]);
		};
		const data = unlimitedAccount(baseUrl);
		await importFile('credentials', [
			{ ...credentials.aquacultureApi, type: 'aquacultureApi', data },
		]);
		await importFile('workflow', [
			workflowOf('baseline', CPU.sites),
			workflowOf('getSite', CPU.sites, getSite),
			workflowOf('httpRequest', CPU.sites, httpRequest(baseUrl)),
			workflowOf('waiting', WALL.sites, getSite),
		]);
		return new Bench(emulator, home);
	}

	/** Milliseconds for which n8n's Node.js loads the package. */
	async load(): Promise<number> {
		const folder = path.join(this.home.directory, '.n8n/nodes/node_modules', manifest.name);
		// As n8n sets it for its packages, which find n8n-workflow there.
		const env = { NODE_PATH: path.resolve(N8N.n8n, '../../..') };
		return Number((await this.run([...EVALUATE, LOAD, folder], 0, env)).printed);
	}

	/** CPU seconds of Get Site and of the HTTP Request node, less those of n8n itself. */
	async cpu(): Promise<Pair> {
		this.emulator.settings.latencyMs = CPU.latencyMs;
		const { cpu: baseline } = await this.execute('baseline', 0);
		const net = async (id: string) => (await this.execute(id, CPU.sites)).cpu - baseline;
		return [await net('getSite'), await net('httpRequest')];
	}

	/** Seconds that Get Site and the bare script take. */
	async wall(): Promise<Pair> {
		const { tokens, baseUrl, settings } = this.emulator;
		settings.latencyMs = WALL.latencyMs;
		const step = await this.execute('waiting', WALL.sites);
		const { access_token: token } = tokens.issue(DEMO_ACCOUNT.username);
		const words = [...EVALUATE, SCRIPT, baseUrl, token, String(WALL.sites)];
		const script = await this.run(words, WALL.sites);
		return [secondsOf(step.printed), Number(script.printed)];
	}

	private async execute(workflowId: string, sites: number) {
		const words = ['execute', '--id', workflowId, '--rawOutput'];
		const { parameters, env } = await this.home.invocation(words);
		return await this.run(parameters, sites, env);
	}

	/**
	 * Runs a program of n8n's Node.js to its end.
	 *
	 * @returns what it printed, and the CPU seconds that it took.
	 * @throws Error with what it printed on standard error, or if it has read another number of sites than this.
	 */
	private async run(words: readonly string[], sites: number, env: NodeJS.ProcessEnv = {}) {
		// What has been written down of earlier requests takes memory and time.
		this.emulator.reset();
		const printed = path.join(this.home.directory, 'printed');
		const output = await run('bash', ['-c', MEASURE, '', N8N.node, ...words], {
			env: { ...env, PRINTED: printed },
			quiet: true,
		});
		const [, user, system] = /\n([\d.]+) ([\d.]+)\n$/.exec(output) ?? [];
		const read = this.emulator.journal.of('site').filter(({ status }) => status === 200).length;
		if (read !== sites) throw new Error(`${read} sites instead of ${sites}\n${output}`);
		return { printed: await readFile(printed, 'utf8'), cpu: Number(user) + Number(system) };
	}
}

const EVALUATE = ['--input-type=module', '--eval'];

const idsOf = (sites: number) => Array.from({ length: sites }, (_, index) => 100_001 + index);

/** A trigger, what makes an item of each site, and the measured step, if there is one. */
function workflowOf(id: string, sites: number, measured?: Step) {
	const list = { mode: 'raw', jsonOutput: JSON.stringify({ siteId: idsOf(sites) }) };
	const steps = [
		step('Start', 'manualTrigger'),
		step('List', 'set', list, { typeVersion: 3.4 }),
		step('Items', 'splitOut', { fieldToSplitOut: 'siteId' }),
		...(measured ? [measured] : []),
	];
	return { id, active: false, ...workflow(id, steps) };
}

const credentials = credentialsOf('account');
const getSite = step(
	MEASURED,
	NODE_TYPE,
	{ operation: 'getSite', siteId: '={{ $json.siteId }}' },
	{ credentials },
);

function httpRequest(baseUrl: string): Step {
	const parameters = {
		url: `=${baseUrl}/meta/sites/{{ $json.siteId }}?$include=units,info`,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'aquacultureApi',
	};
	return step(MEASURED, 'httpRequest', parameters, { credentials, typeVersion: 4.5 });
}

/** How long the measured step took, of what `n8n execute` prints between lines of its log. */
function secondsOf(printed: string): number {
	const json = printed.slice(printed.search(/^\{$/m), printed.lastIndexOf('\n}') + 2);
	const { data } = JSON.parse(json) as {
		data: { resultData: { runData: Record<string, ITaskData[]> } };
	};
	return (data.resultData.runData[MEASURED]?.[0]?.executionTime ?? NaN) / 1000;
}

/** The median of some measurements, an odd number of them. */
async function median(count: number, measure: () => Promise<number>): Promise<number> {
	const figures: number[] = [];
	for (let index = 0; index < count; index++) figures.push(await measure());
	return figures.toSorted((one, other) => one - other)[(count - 1) / 2] ?? NaN;
}

/** The median of the ratios: both sides are measured in turns, so that a drift of the machine affects them alike. */
async function ratio(what: string, measure: () => Promise<Pair>): Promise<number> {
	return await median(ROUNDS, async () => {
		const [own, other] = await measure();
		say(`${what}: ${own.toFixed(2)} s and ${other.toFixed(2)} s`);
		return own / other;
	});
}

/** What was measured, in Markdown. */
function report(bounds: readonly Bound[]): string {
	const { stdout } = xSync(N8N.node, ['--version']);
	const date = new Date().toISOString().slice(0, 10);
	const on = `n8n ${VERSION} on Node.js ${stdout.trim().slice(1)}; ${cpus()[0]?.model.trim()}`;
	const rows = bounds.map(([what, atMost, measured]) => [
		what,
		String(atMost),
		measured.toFixed(2),
	]);
	return [
		`Measured on ${date}: package ${manifest.version}, ${on}. Medians of ${ROUNDS} runs.`,
		table(['', 'at most', 'measured'], rows),
	].join('\n\n');
}

type Bound = [what: string, atMost: number, measured: number];

/** Measures what the package costs, writes it into the page, and fails if a bound is missed. */
async function main(stage: Stage): Promise<void> {
	await install(VERSION);
	say('Setting up n8n and the emulated service');
	const bench = await Bench.start(stage);
	const bounds: Bound[] = [
		['Loading: ms', 15, await median(LOADS, async () => await bench.load())],
		['CPU, of the HTTP Request node', 0.4, await ratio('CPU', async () => await bench.cpu())],
		['Time, of a bare script', 1.2, await ratio('Time', async () => await bench.wall())],
	];
	const figures = report(bounds);
	console.log(figures);
	await writeFile(PAGE, withBetween(await readFile(PAGE, 'utf8'), MARKS, figures));
	const missed = bounds.filter(([, atMost, measured]) => !(measured <= atMost));
	if (missed.length > 0) throw new Failure(`Missed: ${missed.map(([what]) => what).join('; ')}`);
}

command(main);
