import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import type { Fault } from '../../emulator/faults';
import { DEMO_ACCOUNT, Emulator, UNLIMITED } from '../../emulator/server';
import { madeUpSite } from '../../emulator/sites';
import { Failure } from '../../testbed/failure';
import { install } from '../../testbed/n8n/install';
import { N8nInstance } from '../../testbed/n8n/instance';
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
 * How much faster the heap may grow than the control's, in megabytes an hour. At five executions a second that is about
 * 1 KB for each: less than the smallest thing that an execution could leave behind, its credential.
 */
const MAX_HEAP_PER_HOUR = 20;
/** In a shorter soak, what n8n loads and compiles outweighs what could leak. */
const MIN_MINUTES_FOR_MEMORY = 20;

const WATCHED_SITE = 9001;
const SITES = Array.from({ length: 200 }, (_, index) => 100_001 + index);
/** `stop` is Get Site with "On Error" set to "Stop Workflow". */
const OPERATIONS = { site: 'getSite', many: 'getManySites', units: 'getUnits', stop: 'getSite' };
const WEBHOOKS = Object.keys(OPERATIONS) as Array<keyof typeof OPERATIONS>;

/** One a second, in turn. */
const SITE_FAULTS: readonly Fault[] = [
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
const LOGIN_FAULTS: readonly Fault[] = [{ kind: 'reset' }, { kind: 'echo', status: 500 }];

/** An n8n, and the samples of its memory. */
interface Measured {
	n8n: N8nInstance;
	samples(): Promise<MemorySample[]>;
}

async function measured(stage: Stage): Promise<Measured> {
	const directory = await mkdtemp(path.join(tmpdir(), 'soak-'));
	await stage.add(async () => await rm(directory, { recursive: true, force: true }));
	const file = path.join(directory, 'memory.jsonl');
	const n8n = await N8nInstance.start(stage, MAIN_VERSION, {
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
	const samples = async () =>
		(await readFile(file, 'utf8'))
			.trim()
			.split('\n')
			.map((line) => JSON.parse(line) as MemorySample);
	return { n8n, samples };
}

/** The node as a webhook runs it, or No Operation if there is no credential. */
function nodeOf(webhook: keyof typeof OPERATIONS, credential?: string): NodeUnderTest {
	if (credential === undefined) return { type: 'n8n-nodes-base.noOp', parameters: {} };
	return {
		type: NODE_TYPE,
		credentials: credentialsOf(credential),
		onError: webhook === 'stop' ? 'stopWorkflow' : 'continueRegularOutput',
		parameters: {
			operation: OPERATIONS[webhook],
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
	const webhook = WEBHOOKS[index % WEBHOOKS.length] ?? 'site';
	const count = 1 + (Math.floor(index / WEBHOOKS.length) % 8);
	const ids = Array.from(
		{ length: count },
		(_, place) => SITES[(index * 7 + place) % SITES.length] ?? 0,
	);
	const isList = webhook === 'many' || webhook === 'units';
	const rows = isList ? [{ ids: ids.join() }] : ids.map((id) => ({ id }));
	// Longer than any execution may take.
	const settings = { timeout: 240_000, responseType: 'text', validateStatus: () => true } as const;
	return await axios.post<string>(`${address}/webhook/${webhook}`, { rows }, settings).then(
		({ data }) => ({ ids, text: data }),
		(error: Error) => ({ ids, text: error.message }),
	);
}

/** A service in trouble, and the n8n that is soaked with it. */
class World {
	/** All passwords that n8n's credential has had. */
	readonly passwords: string[] = [DEMO_ACCOUNT.password];

	private constructor(
		readonly service: Emulator,
		readonly soaked: Measured,
		/** An n8n with the same workflows, without the package's node. */
		readonly control: Measured,
		private readonly credential: string,
		/** IDs of the workflows whose executions are stored. */
		readonly stored: string[],
	) {}

	static async start(stage: Stage): Promise<World> {
		const service = await stage.keep(
			Emulator.start({
				...UNLIMITED,
				sites: [...SITES, WATCHED_SITE].map(madeUpSite),
				token: { lifetimeSeconds: 60, announcedLifetime: null },
			}),
		);
		const [soaked, control] = [await measured(stage), await measured(stage)];
		const account = { baseUrl: service.baseUrl, ...DEMO_ACCOUNT, requestsPerMinute: 0 };
		const credential = await soaked.n8n.createCredential(account);
		const stored: string[] = [];
		for (const webhook of WEBHOOKS) {
			await control.n8n.addWebhook(webhookWorkflow(webhook, nodeOf(webhook), 'Read'));
			const workflow = webhookWorkflow(webhook, nodeOf(webhook, credential), 'Read');
			const id = await soaked.n8n.addWebhook(workflow);
			if (webhook === 'stop') stored.push(id);
		}
		const watched = { sites: 'byId', siteIds: `${WATCHED_SITE}` };
		const settings = { saveDataSuccessExecution: 'all' };
		const watching = triggerWorkflow('Watching', credential, watched, settings);
		stored.push(await soaked.n8n.createWorkflow(watching));
		// n8n takes a multiple of the time for its first executions.
		for (let index = 0; index < 160; index++) {
			await Promise.all([soaked, control].map(async ({ n8n }) => await call(n8n, index)));
		}
		await soaked.n8n.activate(stored[1] ?? '');
		return new World(service, soaked, control, credential, stored);
	}

	/** What happens to the service and the account in a second of the soak. */
	async disturb(second: number): Promise<void> {
		const { service } = this;
		const isTime = (everySeconds: number) => second > 0 && second % everySeconds === 0;
		const pick = (faults: readonly Fault[]) => faults[second % faults.length] as Fault;
		service.fail({ route: 'site', times: 1 + (second % 3), fault: pick(SITE_FAULTS) });
		if (isTime(127)) service.fail({ route: 'token', times: 1, fault: pick(LOGIN_FAULTS) });
		if (isTime(41)) service.tokens.revokeAll();
		if (isTime(19)) {
			const license = `L-${second}`;
			service.changeSite(WATCHED_SITE, (site) => ({ ...site, info: { ...site.info, license } }));
		}
		if (isTime(53)) await this.changePassword();
	}

	private async changePassword(): Promise<void> {
		const password = `fjord-${randomUUID()}`;
		this.passwords.push(password);
		this.service.settings.accounts[DEMO_ACCOUNT.username] = password;
		this.service.tokens.revokeAll();
		await this.soaked.n8n.editCredential(this.credential, { password });
		// n8n stores a token by writing back the credential as it was read before: that can undo the edit.
		await sleep(4000);
		await this.soaked.n8n.editCredential(this.credential, { password });
	}
}

type Soaked = Awaited<ReturnType<typeof soak>>;

/** Runs the workflows while the service fails, and looks at all that n8n holds afterwards. */
async function soak(world: World, minutes: number, signal: AbortSignal) {
	const { service, soaked, control, passwords } = world;
	const beganAt = Date.now();
	const calls: Array<Promise<Answer>> = [];
	const others: Array<Promise<unknown>> = [];
	for (let index = 0; index < minutes * 60 * EXECUTIONS_PER_SECOND; index++) {
		const second = index / EXECUTIONS_PER_SECOND;
		await sleep(Math.max(0, beganAt + second * 1000 - Date.now()), undefined, { signal });
		calls.push(call(soaked.n8n, index));
		others.push(call(control.n8n, index));
		if (Number.isInteger(second)) others.push(world.disturb(second));
		// What fails is thrown at the end.
		others.at(-1)?.catch(() => undefined);
	}
	const answers = await Promise.all(calls);
	await Promise.all(others);
	const growth = async ({ samples }: Measured) => {
		const taken = (await samples()).filter(({ at }) => at >= beganAt);
		const { heapMB, rssMB } = taken.at(-1) as MemorySample;
		return { samples: taken.length, heapMB, rssMB, heapPerHour: heapPerHour(taken) };
	};
	const { home } = soaked.n8n;
	const executions = world.stored.map(async (id) => await soaked.n8n.executionsOf(id));
	const stored = (await Promise.all(executions)).flat();
	const texts = {
		'the answers of the webhooks': answers.map(({ text }) => text).join('\n'),
		'the stored executions': stored.map(({ data }) => data).join('\n'),
		'the log': await home.log(),
		'the database': await home.database(),
	};
	const secrets = [...passwords, ...service.tokens.issued];
	const count = (of: (answer: Answer) => number) =>
		answers.reduce((sum, answer) => sum + of(answer), 0);
	const megabytes = Object.values(texts).reduce((sum, text) => sum + text.length / 1e6, 0);
	return {
		counts: {
			executions: answers.length,
			'sites asked for': count(({ ids }) => ids.length),
			'sites read': count(readIn),
			'executions stored': stored.length,
			logins: service.journal.count('token'),
			'passwords and tokens looked for': secrets.length,
			'megabytes searched': Math.round(megabytes),
		},
		memory: { soaked: await growth(soaked), control: await growth(control) },
		leaks: textsWithSecrets(texts, secrets),
		warnings: (await home.complaints()).filter((line) => !line.includes('| warn  | Trigger: ')),
	};
}

function readIn({ ids, text }: Answer): number {
	return ids.filter((id) => text.includes(`"${madeUpSite(id).siteName}"`)).length;
}

/** What is required of a soak, each with whether it is met; undefined if the soak was too short to tell. */
function requirementsOf(minutes: number, { counts, memory, leaks, warnings }: Soaked) {
	const growth = memory.soaked.heapPerHour - memory.control.heapPerHour;
	const isLong = minutes >= MIN_MINUTES_FOR_MEMORY;
	const [read, asked] = [counts['sites read'], counts['sites asked for']];
	const requirements: Array<[what: string, isMet: boolean | undefined]> = [
		[`no password or token in ${leaks.join(', ') || 'any text'}`, leaks.length === 0],
		[`no warning of the package in the log: ${warnings.length}`, warnings.length === 0],
		[
			`heap, at most ${MAX_HEAP_PER_HOUR} MB an hour more than the control: ${growth.toFixed(1)}`,
			isLong ? growth <= MAX_HEAP_PER_HOUR : undefined,
		],
		[`at least half of ${asked} sites read: ${read}`, read >= asked / 2],
	];
	return requirements;
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
		say('Setting up two n8n and the emulated service');
		const world = await World.start(stage);
		say(`Soaking for ${minutes} minutes`);
		await report(minutes, await soak(world, minutes, signal));
	} finally {
		await stage.end();
	}
}

/** @throws Failure if something that is required is not met. */
async function report(minutes: number, soaked: Soaked): Promise<void> {
	const results = {
		date: new Date().toISOString().slice(0, 10),
		minutes,
		executionsPerSecond: EXECUTIONS_PER_SECOND,
		versions: versions(),
		machine: `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores`,
		...soaked,
	};
	console.log(JSON.stringify(results, null, '\t'));
	if (minutes >= FULL_MINUTES) {
		await writeFile(RESULTS, `${JSON.stringify(results, null, '\t')}\n`);
		say(`The results are in ${RESULTS}`);
	}
	const requirements = requirementsOf(minutes, soaked);
	const verdict = (isMet?: boolean) =>
		isMet === undefined ? 'too short to tell' : isMet ? 'met' : 'missed';
	for (const [what, isMet] of requirements) console.log(`${verdict(isMet)}: ${what}`);
	if (requirements.some(([, isMet]) => isMet === false)) throw new Failure('The soak has failed');
}

command(main, USAGE);
