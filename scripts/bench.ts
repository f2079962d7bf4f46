import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DEMO_ACCOUNT, Emulator } from '../emulator/server';
import { makeSites } from '../emulator/sites';
import manifest from '../package.json';
import { run, type CommandSettings } from '../testbed/command';
import { UserFacingError } from '../testbed/userFacingError';
import { N8nHome } from '../testbed/n8n/home';
import { install, installationOf } from '../testbed/n8n/install';
import { VERSION } from '../testbed/n8n/versions';
import type { Cleanup } from '../testbed/cleanup';
import {
	getSiteNode,
	httpRequestNode,
	manualWorkflow,
	type NodeUnderTest,
} from '../testbed/workflows';
import { say } from '../testbed/progress';
import { command } from './commandLine';

const ROUNDS = 3;
const LOADS = 15;
/** Enough sites to stand out from n8n's own start. Waiting costs no CPU, so no latency. */
const CPU = { sites: 5000, latencyMs: 0 };
const WALL = { sites: 1000, latencyMs: 50 };

const N8N = installationOf(VERSION);
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
		const url = baseUrl + '/meta/sites/' + (5001 + index++) + '?$include=units,info';
		await (await fetch(url, { headers })).json();
	}
};
Promise.all(Array.from({ length: 20 }, work)).then(() => {
	console.log((performance.now() - begin) / 1000);
});`;

/** Loads the nodes and the credential of the package in this folder after what n8n loads first; prints milliseconds. */
const LOAD = String.raw`
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
		const sites = makeSites(CPU.sites);
		const emulator = await cleanup.use(
			// Equal latencies would keep all requests in step, unlike a network.
			new Emulator({ sites, latencyJitter: 0.4 }).start(),
		);
		const home = await cleanup.use(N8nHome.create(N8N_SETTINGS));
		const { baseUrl } = emulator;
		const importFile = async (what: 'credentials' | 'workflow', content: unknown) => {
			const input = path.join(home.directory, 'import.json');
			await writeFile(input, JSON.stringify(content));
			await home.run([`import:${what}`, `--input=${input}`]);
		};
		await importFile('credentials', [
			{ id: CREDENTIAL, name: CREDENTIAL, type: 'aquacultureApi', data: emulator.credential },
		]);
		await importFile('workflow', [
			buildWorkflow('baseline', CPU.sites, baseUrl, NO_OP),
			buildWorkflow('getSite', CPU.sites, baseUrl, GET_SITE),
			buildWorkflow('httpRequest', CPU.sites, baseUrl, httpRequestNode(CREDENTIAL)),
			buildWorkflow('waiting', WALL.sites, baseUrl, GET_SITE),
		]);
		return new Bench(emulator, home);
	}

	/** Returns the milliseconds that n8n's Node.js takes to load the package. */
	async load(): Promise<number> {
		const cwd = path.join(this.home.directory, '.n8n/nodes/node_modules', manifest.name);
		// n8n sets this so that packages find n8n-workflow.
		const env = { NODE_PATH: path.resolve(N8N.n8n, '../../..') };
		return await evaluate([LOAD], { cwd, env });
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
		return [
			readSeconds(step.printed),
			await evaluate([SCRIPT, baseUrl, token, String(WALL.sites)]),
		];
	}

	/**
	 * Runs a workflow in n8n.
	 *
	 * @returns what n8n prints and its CPU seconds.
	 * @throws Error if it fails or has not read this number of sites.
	 */
	private async execute(workflowId: string, sites: number) {
		// A long journal costs memory and time.
		this.emulator.reset();
		const words = [N8N.node, N8N.n8n, 'execute', '--id', workflowId, '--rawOutput'];
		const printed = path.join(this.home.directory, 'printed');
		const env = { ...(await this.home.environment()), PRINTED: printed };
		const output = await run('bash', ['-c', MEASURE, '', ...words], { env, quiet: true });
		const [, user, system] = /\n([\d.]+) ([\d.]+)\n$/.exec(output) ?? [];
		const read = this.emulator.journal.of('site').filter(({ status }) => status === 200).length;
		if (read !== sites) throw new Error(`${read} sites instead of ${sites}\n${output}`);
		return { printed: await readFile(printed, 'utf8'), cpu: Number(user) + Number(system) };
	}
}

/** Runs a script with parameters in n8n's Node.js. @returns the number that it prints. */
async function evaluate(script: readonly string[], settings: CommandSettings = {}) {
	return Number(await run(N8N.node, ['--eval', ...script], { ...settings, quiet: true }));
}

const CREDENTIAL = 'account';
const GET_SITE: NodeUnderTest = {
	...getSiteNode(CREDENTIAL),
	parameters: { operation: 'getSite', siteId: '={{ $json.id }}' },
};
const NO_OP: NodeUnderTest = { type: 'n8n-nodes-base.noOp', parameters: {} };

/** Builds a workflow that passes the ID and the address of each site to a node. */
function buildWorkflow(id: string, sites: number, baseUrl: string, node: NodeUnderTest) {
	const rows = makeSites(sites).map(({ siteId }) => ({
		id: siteId,
		url: `${baseUrl}/meta/sites/${siteId}?$include=units,info`,
	}));
	return { id, active: false, ...manualWorkflow(rows, node) };
}

/** Finds the seconds of the measured step in the output of `n8n execute`, which mixes JSON with its log. */
function readSeconds(printed: string): number {
	const [, milliseconds] = /"Node": \[[^]*?"executionTime": (\d+)/.exec(printed) ?? [];
	return Number(milliseconds) / 1000;
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
	const loading = await median(LOADS, async () => await bench.load());
	const cpu = await ratio('CPU', async () => await bench.cpu());
	const wall = await ratio('Time', async () => await bench.wall());
	const results = [
		{ what: 'Milliseconds to load the package', max: 15, measured: loading },
		{ what: "CPU time, as a share of the HTTP Request node's", max: 0.45, measured: cpu },
		{ what: "Time, as a multiple of a bare script's", max: 1.3, measured: wall },
	];
	for (const { what, max, measured } of results) {
		console.log(`${what}: ${measured.toFixed(2)} (at most ${max})`);
	}
	const missed = results.filter(({ max, measured }) => !(measured <= max));
	if (missed.length > 0) {
		throw new UserFacingError(`Missed: ${missed.map(({ what }) => what).join('; ')}`);
	}
}

command(main);
