import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ITaskData } from 'n8n-workflow';
import { DEMO_ACCOUNT, Emulator, UNLIMITED } from '../emulator/server';
import { makeSite } from '../emulator/sites';
import manifest from '../package.json';
import { run } from '../testbed/command';
import { UserFacingError } from '../testbed/userFacingError';
import { N8nHome } from '../testbed/n8n/home';
import { install, installationOf } from '../testbed/n8n/install';
import { unlimitedAccount } from '../testbed/n8n/unlimited';
import { VERSION } from '../testbed/n8n/versions';
import type { Cleanup } from '../testbed/cleanup';
import { credentialRef, NODE_TYPE, step, workflow, type Step } from '../testbed/workflows';
import { say } from '../testbed/progress';
import { command } from './commandLine';

const ROUNDS = 3;
const LOADS = 15;
/** Enough sites to stand out from n8n's own start. Waiting costs no CPU, so no latency. */
const CPU = { sites: 5000, latencyMs: 0 };
const WALL = { sites: 1000, latencyMs: 50 };

const N8N = installationOf(VERSION);
const MEASURED = 'Measured';
const N8N_SETTINGS = {
	// `n8n execute` prints no result at a lower level.
	N8N_LOG_LEVEL: 'info',
	// No step needs a task runner.
	N8N_RUNNERS_MODE: 'external',
	N8N_RUNNERS_AUTH_TOKEN: 'benchmark',
	// Storing executions is not part of a step.
	EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
	EXECUTIONS_DATA_SAVE_ON_ERROR: 'none',
};

/** Prints the standard error of a program and, as the last line, its CPU seconds. */
const MEASURE = String.raw`
TIMEFORMAT=$'\n%U %S'
# n8n exits before a pipe has taken all of its output, and sometimes crashes after the last line (2.40.7).
{ time "$@" > "$PRINTED"; } 2>&1 || [ $? -eq 139 ]`;

/** Reads sites without n8n, as many at a time as the node; prints seconds. */
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

/** Loads the nodes and the credential of a package after what n8n loads first; prints milliseconds. */
const LOAD = String.raw`
import { createRequire } from 'node:module';
const [folder] = process.argv.slice(1);
const require = createRequire(folder + '/package.json');
require('n8n-workflow');
const { credentials, nodes } = require('./package.json').n8n;
const begin = performance.now();
for (const file of [...credentials, ...nodes]) require('./' + file);
console.log(performance.now() - begin);`;

type Pair = [own: number, other: number];

/** An emulator and a real n8n with the packed package, without a rate limit. */
class Bench {
	private constructor(
		private readonly emulator: Emulator,
		private readonly home: N8nHome,
	) {}

	static async start(cleanup: Cleanup): Promise<Bench> {
		const sites = makeIds(CPU.sites).map(makeSite);
		const emulator = await cleanup.use(
			// Equal latencies would keep all requests in step, unlike a network.
			Emulator.start({ ...UNLIMITED, sites, latencyJitter: 0.4 }),
		);
		const home = await cleanup.use(N8nHome.create(N8N_SETTINGS));
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
			buildWorkflow('baseline', CPU.sites),
			buildWorkflow('getSite', CPU.sites, getSite),
			buildWorkflow('httpRequest', CPU.sites, httpRequest(baseUrl)),
			buildWorkflow('waiting', WALL.sites, getSite),
		]);
		return new Bench(emulator, home);
	}

	/** Returns the milliseconds that n8n's Node.js takes to load the package. */
	async load(): Promise<number> {
		const folder = path.join(this.home.directory, '.n8n/nodes/node_modules', manifest.name);
		// n8n sets this so that packages find n8n-workflow.
		const env = { NODE_PATH: path.resolve(N8N.n8n, '../../..') };
		return Number((await this.run([...EVALUATE, LOAD, folder], 0, env)).printed);
	}

	/** Returns the CPU seconds of Get Site and of the HTTP Request node, less those of n8n itself. */
	async cpu(): Promise<Pair> {
		this.emulator.settings.latencyMs = CPU.latencyMs;
		const { cpu: baseline } = await this.execute('baseline', 0);
		const net = async (id: string) => (await this.execute(id, CPU.sites)).cpu - baseline;
		return [await net('getSite'), await net('httpRequest')];
	}

	/** Returns the seconds that Get Site and the bare script take. */
	async wall(): Promise<Pair> {
		const { tokens, baseUrl, settings } = this.emulator;
		settings.latencyMs = WALL.latencyMs;
		const step = await this.execute('waiting', WALL.sites);
		const { access_token: token } = tokens.issue(DEMO_ACCOUNT.username);
		const words = [...EVALUATE, SCRIPT, baseUrl, token, String(WALL.sites)];
		const script = await this.run(words, WALL.sites);
		return [readSeconds(step.printed), Number(script.printed)];
	}

	private async execute(workflowId: string, sites: number) {
		const words = ['execute', '--id', workflowId, '--rawOutput'];
		const { parameters, env } = await this.home.invocation(words);
		return await this.run(parameters, sites, env);
	}

	/**
	 * Runs a program with n8n's Node.js.
	 *
	 * @returns its standard output and its CPU seconds.
	 * @throws Error if it fails or has not read this number of sites.
	 */
	private async run(words: readonly string[], sites: number, env: NodeJS.ProcessEnv = {}) {
		// A long journal costs memory and time.
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

const makeIds = (sites: number) => Array.from({ length: sites }, (_, index) => 100_001 + index);

/** Builds a workflow that makes an item for each site and passes them to the measured step, if there is one. */
function buildWorkflow(id: string, sites: number, measured?: Step) {
	const list = { mode: 'raw', jsonOutput: JSON.stringify({ siteId: makeIds(sites) }) };
	const steps = [
		step('Start', 'manualTrigger'),
		step('List', 'set', list, { typeVersion: 3.4 }),
		step('Items', 'splitOut', { fieldToSplitOut: 'siteId' }),
		...(measured ? [measured] : []),
	];
	return { id, active: false, ...workflow(id, steps) };
}

const credentials = credentialRef('account');
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

/** Finds the seconds of the measured step in the output of `n8n execute`, which mixes JSON with its log. */
function readSeconds(printed: string): number {
	const json = printed.slice(printed.search(/^\{$/m), printed.lastIndexOf('\n}') + 2);
	const { data } = JSON.parse(json) as {
		data: { resultData: { runData: Record<string, ITaskData[]> } };
	};
	return (data.resultData.runData[MEASURED]?.[0]?.executionTime ?? NaN) / 1000;
}

/** @param count odd */
async function median(count: number, measure: () => Promise<number>): Promise<number> {
	const figures: number[] = [];
	for (let index = 0; index < count; index++) figures.push(await measure());
	return figures.toSorted((one, other) => one - other)[(count - 1) / 2] ?? NaN;
}

/** Measures both sides in turn, so that a drift of the machine affects them alike, and returns the median ratio. */
async function ratio(what: string, measure: () => Promise<Pair>): Promise<number> {
	return await median(ROUNDS, async () => {
		const [own, other] = await measure();
		say(`${what}: ${own.toFixed(2)} s and ${other.toFixed(2)} s`);
		return own / other;
	});
}

async function main(cleanup: Cleanup): Promise<void> {
	await cleanup.use(install(VERSION, cleanup.signal));
	say('Setting up n8n and the emulated service');
	const bench = await Bench.start(cleanup);
	const results: Array<[what: string, max: number, measured: number]> = [
		['Milliseconds to load the package', 15, await median(LOADS, async () => await bench.load())],
		[
			"CPU time, as a share of the HTTP Request node's",
			0.45,
			await ratio('CPU', async () => await bench.cpu()),
		],
		[
			"Time, as a multiple of a bare script's",
			1.3,
			await ratio('Time', async () => await bench.wall()),
		],
	];
	for (const [what, max, measured] of results) {
		console.log(`${what}: ${measured.toFixed(2)} (at most ${max})`);
	}
	const missed = results.filter(([, max, measured]) => !(measured <= max));
	if (missed.length > 0) {
		throw new UserFacingError(`Missed: ${missed.map(([what]) => what).join('; ')}`);
	}
}

command(main);
