import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import type { Fault } from '../../emulator/faults';
import { DEMO_ACCOUNT, Emulator, UNLIMITED } from '../../emulator/server';
import { madeUpSite } from '../../emulator/sites';
import { Failure } from '../../testbed/failure';
import { install } from '../../testbed/n8n/install';
import { N8nInstance } from '../../testbed/n8n/instance';
import { unlimitedAccount } from '../../testbed/n8n/unlimited';
import { MAIN_VERSION } from '../../testbed/n8n/versions';
import { Stage } from '../../testbed/stage';
import {
	credentialsOf,
	NODE_TYPE,
	triggerWorkflow,
	webhookWorkflow,
	type NodeUnderTest,
} from '../../testbed/workflows';
import { command, interrupted, readNumber, readOptions, say } from '../commandLine';
import { versions } from '../figures';
import { heapPerHour, textsWithSecrets } from './checks';
import type { MemorySample } from './probe.mjs';

const FULL_MINUTES = 30;
const RESULTS = path.resolve(__dirname, '../../docs/soak.json');
const USAGE = `npm run soak -- [--minutes ${FULL_MINUTES}]

  --minutes <number>  how long it takes; the memory is judged from 20 minutes on

A soak of ${FULL_MINUTES} minutes or more writes its results to docs/soak.json.`;

const EXECUTIONS_PER_SECOND = 5;
/**
 * How fast the heap may grow, in megabytes an hour. At five executions a second that is about 1 KB for each: less than the
 * smallest thing that an execution could leave behind, its credential. n8n alone grows by about one megabyte (n8n 2.40.7).
 */
const MAX_HEAP_PER_HOUR = 20;
/** In a shorter soak, what n8n loads and compiles outweighs what could leak. */
const MIN_MINUTES_FOR_MEMORY = 20;

const WATCHED_SITE = 9001;
const SITES = Array.from({ length: 200 }, (_, index) => 100_001 + index);
/** The operations that are called by webhooks. */
const OPERATIONS = ['getSite', 'getManySites', 'getUnits'] as const;

/** One a second, in turn. */
const FAULTS: readonly Fault[] = [
	{ kind: 'status', status: 503 },
	{ kind: 'status', status: 401 },
	{ kind: 'status', status: 403 },
	{ kind: 'reset' },
	{ kind: 'truncated' },
	{ kind: 'hang' },
	{ kind: 'trickle', msPerByte: 1 },
	{ kind: 'echo', status: 400 },
	{ kind: 'echo', status: 500 },
	{ kind: 'body', body: '<html>sorry</html>', contentType: 'text/html' },
];

/** An n8n whose webhooks and trigger read an emulated service. */
interface World {
	service: Emulator;
	n8n: N8nInstance;
	/** IDs of the workflows of which n8n stores executions. */
	stored: string[];
}

async function startWorld(stage: Stage): Promise<World> {
	const service = await stage.keep(
		Emulator.start({
			...UNLIMITED,
			sites: [...SITES, WATCHED_SITE].map(madeUpSite),
			token: { lifetimeSeconds: 60, announcedLifetime: null },
		}),
	);
	const n8n = await N8nInstance.start(stage, MAIN_VERSION, {
		NODE_OPTIONS: `--expose-gc --require ${path.join(__dirname, 'probe.mts')}`,
		// No step needs a task runner.
		N8N_RUNNERS_MODE: 'external',
		N8N_RUNNERS_AUTH_TOKEN: 'soak',
		// The isolated engine takes a tenth of a second of CPU for each execution (n8n 2.40).
		N8N_EXPRESSION_ENGINE: 'legacy',
		// What n8n stores would grow with the executions.
		EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
	});
	const credential = await n8n.createCredential(unlimitedAccount(service.baseUrl));
	const stored: string[] = [];
	for (const operation of OPERATIONS) {
		const node = nodeOf(operation, credential);
		stored.push(await n8n.addWebhook(webhookWorkflow(operation, node, 'Read')));
	}
	const watched = { sites: 'byId', siteIds: `${WATCHED_SITE}` };
	const settings = { saveDataSuccessExecution: 'all' };
	const watching = await n8n.createWorkflow(
		triggerWorkflow('Watching', credential, watched, settings),
	);
	await n8n.activate(watching);
	// n8n takes a multiple of the time for its first executions.
	for (let index = 0; index < 160; index++) await call(n8n, index);
	return { service, n8n, stored: [...stored, watching] };
}

function nodeOf(operation: (typeof OPERATIONS)[number], credential: string): NodeUnderTest {
	return {
		type: NODE_TYPE,
		credentials: credentialsOf(credential),
		// n8n stores the executions that a failure stops.
		onError: operation === 'getUnits' ? 'stopWorkflow' : 'continueRegularOutput',
		parameters: {
			operation,
			siteId: '={{ $json.id }}',
			sites: 'byId',
			siteIds: '={{ $json.ids }}',
			simplify: false,
			options: { timeout: 10, maxTries: 5, maxTime: 75 },
		},
	};
}

/** The sites that a webhook was asked for, and what it answered. */
interface Answer {
	ids: number[];
	text: string;
}

/** Posts one to eight sites to a webhook. */
async function call({ address }: N8nInstance, index: number): Promise<Answer> {
	const operation = OPERATIONS[index % OPERATIONS.length] ?? 'getSite';
	const first = (index * 7) % (SITES.length - 8);
	const ids = SITES.slice(first, first + 1 + (Math.floor(index / OPERATIONS.length) % 8));
	const rows = operation === 'getSite' ? ids.map((id) => ({ id })) : [{ ids: ids.join() }];
	// Longer than any execution may take.
	const settings = { timeout: 240_000, responseType: 'text', validateStatus: () => true } as const;
	return await axios.post<string>(`${address}/webhook/${operation}`, { rows }, settings).then(
		({ data }) => ({ ids, text: data }),
		(error: Error) => ({ ids, text: error.message }),
	);
}

/** What happens to the service in a second of the soak. */
function disturb(service: Emulator, second: number): void {
	const fault = FAULTS[second % FAULTS.length] as Fault;
	service.fail({ route: 'site', times: 1 + (second % 3), fault });
	if (second % 41 === 40) service.tokens.revokeAll();
	if (second % 127 === 126) {
		service.fail({ route: 'token', times: 1, fault: { kind: 'echo', status: 500 } });
	}
	if (second % 19 === 18) {
		const license = `L-${second}`;
		service.changeSite(WATCHED_SITE, (site) => ({ ...site, info: { ...site.info, license } }));
	}
}

type Soaked = Awaited<ReturnType<typeof soak>>;

/** Runs the workflows while the service fails, and looks at all that n8n holds afterwards. */
async function soak({ service, n8n, stored }: World, minutes: number, signal: AbortSignal) {
	const beganAt = Date.now();
	const calls: Array<Promise<Answer>> = [];
	for (let index = 0; index < minutes * 60 * EXECUTIONS_PER_SECOND; index++) {
		const second = index / EXECUTIONS_PER_SECOND;
		await sleep(Math.max(0, beganAt + second * 1000 - Date.now()), undefined, { signal });
		if (Number.isInteger(second)) disturb(service, second);
		calls.push(call(n8n, index));
	}
	const answers = await Promise.all(calls);
	const executions = await Promise.all(stored.map(async (id) => await n8n.executionsOf(id)));
	const texts = {
		'the answers of the webhooks': answers.map(({ text }) => text).join('\n'),
		'the stored executions': executions
			.flat()
			.map(({ data }) => data)
			.join('\n'),
		'the log': await n8n.home.log(),
		'the database': await n8n.home.database(),
	};
	const secrets = [DEMO_ACCOUNT.password, ...service.tokens.issued];
	const samples = (await samplesOf(n8n)).filter(({ at }) => at >= beganAt);
	const megabytes = Object.values(texts).reduce((sum, text) => sum + text.length / 1e6, 0);
	return {
		counts: {
			executions: answers.length,
			'sites asked for': answers.flatMap(({ ids }) => ids).length,
			'sites read': answers.flatMap(sitesRead).length,
			'executions stored': executions.flat().length,
			logins: service.journal.count('token'),
			'passwords and tokens looked for': secrets.length,
			'megabytes searched': Math.round(megabytes),
		},
		memory: { heapMB: samples.at(-1)?.heapMB, heapPerHour: heapPerHour(samples) },
		leaks: textsWithSecrets(texts, secrets),
	};
}

async function samplesOf({ home }: N8nInstance): Promise<MemorySample[]> {
	const lines = (await readFile(path.join(home.directory, 'memory.jsonl'), 'utf8'))
		.trim()
		.split('\n');
	return lines.map((line) => JSON.parse(line) as MemorySample);
}

function sitesRead({ ids, text }: Answer): number[] {
	return ids.filter((id) => text.includes(`"${madeUpSite(id).siteName}"`));
}

/** @throws Failure that says what is wrong with what was seen. */
function judge(minutes: number, { counts, memory, leaks }: Soaked): void {
	const [read, asked] = [counts['sites read'], counts['sites asked for']];
	const growth = memory.heapPerHour;
	const faults: string[] = [];
	if (leaks.length > 0) faults.push(`A password or token is in ${leaks.join(' and ')}.`);
	// Otherwise the soak shows little of the node.
	if (read < asked / 2) faults.push(`Only ${read} of ${asked} sites were read.`);
	if (minutes >= MIN_MINUTES_FOR_MEMORY && growth > MAX_HEAP_PER_HOUR) {
		faults.push(`The heap grows by ${growth.toFixed(1)} MB an hour, not ${MAX_HEAP_PER_HOUR}.`);
	}
	if (faults.length > 0) throw new Failure(faults.join('\n'));
}

/** Prints the results, and writes those of a full soak. */
async function report(minutes: number, soaked: Soaked): Promise<void> {
	const results = {
		date: new Date().toISOString().slice(0, 10),
		minutes,
		executionsPerSecond: EXECUTIONS_PER_SECOND,
		versions: versions(),
		machine: `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores`,
		...soaked,
	};
	const text = JSON.stringify(results, null, '\t');
	console.log(text);
	if (minutes < FULL_MINUTES) return;
	await writeFile(RESULTS, `${text}\n`);
	say(`The results are in ${RESULTS}`);
}

async function main(): Promise<void> {
	const typed = readOptions({
		minutes: { type: 'string', default: String(FULL_MINUTES) },
		help: { type: 'boolean', default: false },
	});
	if (typed.help) return console.log(USAGE);
	const minutes = readNumber('minutes', typed.minutes, 1, 60);
	await install(MAIN_VERSION);
	const signal = interrupted();
	const stage = new Stage();
	try {
		say('Setting up n8n and the emulated service');
		const world = await startWorld(stage);
		say(`Soaking for ${minutes} minutes`);
		const soaked = await soak(world, minutes, signal);
		await report(minutes, soaked);
		judge(minutes, soaked);
	} finally {
		await stage.end();
	}
}

command(main, USAGE);
