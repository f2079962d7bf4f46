import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import path from 'node:path';
import { command, interrupted, readNumber, readOptions, say } from '../commandLine';
import { versions } from '../figures';
import { Failure } from '../../testbed/failure';
import { install } from '../../testbed/n8n/install';
import { MAIN_VERSION } from '../../testbed/n8n/versions';
import type { Execution } from '../../testbed/n8n/instance';
import { until } from '../../testbed/wait';
import { AnswerChecker, changesIn, faultsOfChanges, findSecrets, growthOf } from './checks';
import { disturb, makeCalls, planSoak, type Disturbance, type Plan } from './load';
import { reportOf, requirementsOf, type Results } from './report';
import { storedSite, TRIGGER, WATCHED_SITE, World } from './world';

const FULL_MINUTES = 30;
/** The bound of memory is made for it. */
const EXECUTIONS_PER_SECOND = 5;
const RESULTS = path.resolve(__dirname, '../../docs/soak.json');
const USAGE = `npm run soak -- [options]

  --minutes <number>  how long it takes (${FULL_MINUTES})
  --seed <number>     draws the same executions and disturbances again; where it is left out, it is a new one

A soak of ${FULL_MINUTES} minutes or more writes its results to docs/soak.json.`;

async function main(): Promise<void> {
	const typed = readOptions({
		minutes: { type: 'string', default: String(FULL_MINUTES) },
		seed: { type: 'string', default: String(Date.now() % 1_000_000) },
		help: { type: 'boolean', default: false },
	});
	if (typed.help) return console.log(USAGE);
	const minutes = readNumber('minutes', typed.minutes, 1, 60);
	const seed = readNumber('seed', typed.seed, 0, 1_000_000);

	await install(MAIN_VERSION);
	const plan = planSoak(seed, minutes * 60, EXECUTIONS_PER_SECOND);
	const results: Results = {
		date: new Date().toISOString().slice(0, 10),
		seed,
		minutes,
		executionsPerSecond: EXECUTIONS_PER_SECOND,
		versions: versions(),
		machine: machine(),
		...(await inWorld(async (world, signal) => {
			say(
				`Seed ${seed}: ${plan.calls.length} executions and ${plan.disturbances.length} disturbances in ${minutes} minutes`,
			);
			return await soak(world, plan, signal);
		})),
	};
	console.log(`\n${reportOf(results)}\n`);
	for (const fault of [...results.faults, ...results.leaks].slice(0, 20)) say(fault);

	if (minutes >= FULL_MINUTES) {
		await writeFile(RESULTS, `${JSON.stringify(results, null, '\t')}\n`);
		say(`The results are in ${RESULTS}`);
	}
	if (requirementsOf(results).some(({ isMet }) => isMet === false)) {
		throw new Failure(`What is required was missed: npm run soak -- --seed ${seed}`);
	}
}

/** Does a work in a world that is ended whatever happens. */
async function inWorld<T>(work: (world: World, signal: AbortSignal) => Promise<T>): Promise<T> {
	const signal = interrupted();
	say('Setting up two n8n and the emulated services');
	const world = new World();
	try {
		await world.begin();
		signal.throwIfAborted();
		return await work(world, signal);
	} finally {
		say('Ending n8n and the emulated services');
		await world.end();
	}
}

/** Carries a plan out, and looks at everything that it did. */
async function soak(
	world: World,
	plan: Plan,
	signal: AbortSignal,
): Promise<Pick<Results, 'counts' | 'memory' | 'faults' | 'leaks'>> {
	const { service, soaked, control, passwords } = world;
	const beganAt = Date.now();
	const [calls, controlCalls, { licences, lostEdits }] = await Promise.all([
		makeCalls(plan.calls, soaked.n8n.address, signal),
		makeCalls(plan.calls, control.n8n.address, signal),
		disturb(plan.disturbances, world, signal),
	]);
	const endedAt = Date.now();

	const allLicences = [storedSite(WATCHED_SITE)?.info?.license, ...licences];
	const watching = await watchedExecutions(world, allLicences.at(-1));
	const changes = changesIn(watching);
	const stopped = await soaked.n8n.executionsOf(world.stopping);
	const checker = new AnswerChecker(service.journal);
	const secrets = [...passwords, ...service.tokens.issued];
	const stored = [...stopped, ...watching];
	const texts = [
		...calls.map(({ index, text }) => ({ name: `call ${index}`, text })),
		...stored.map(({ data }, index) => ({ name: `stored execution ${index}`, text: data })),
		{ name: 'the log', text: await soaked.n8n.home.log() },
		{ name: 'the database', text: await soaked.n8n.home.database() },
	];
	// What fails in a poll is logged as it should be.
	const complaints = (await soaked.n8n.home.complaints()).filter(
		(line) => !line.includes(`| warn  | ${TRIGGER}: `),
	);
	const faults = [
		...checker.faultsOf(calls),
		...checker.faultsOfStopped(calls, stopped),
		...faultsOfChanges(changes, allLicences),
		...controlCalls
			.filter(({ status }) => status !== 200)
			.map(({ index, text }) => `control, call ${index}: ${text.slice(0, 200)}`),
		...complaints.map((line) => `log: ${line}`),
	];
	const count = (kind: Disturbance['kind']) =>
		plan.disturbances.filter(({ what }) => what.kind === kind).length;
	return {
		counts: {
			executions: calls.length,
			'executions stopped by a failure': stopped.length,
			'faults of the service': count('fault'),
			'revocations of all tokens': count('revocation'),
			'changes of the password': count('passwordChange'),
			'edits that n8n has undone': lostEdits,
			logins: service.journal.count('token'),
			'requests for sites': checker.requests,
			'sites that were read': checker.read,
			'sites that failed for a reason': checker.failed,
			'new licences': licences.length,
			'changes that the trigger reported': changes.length,
			'secrets looked for': secrets.length,
			'megabytes searched for secrets': Math.round(
				texts.reduce((sum, { text }) => sum + text.length, 0) / 1e6,
			),
		},
		memory: {
			soaked: growthOf(await soaked.samplesBetween(beganAt, endedAt)),
			control: growthOf(await control.samplesBetween(beganAt, endedAt)),
		},
		faults,
		leaks: findSecrets(texts, secrets),
	};
}

/** The executions of the trigger's workflow, once the last change has been reported, or should have been. */
async function watchedExecutions(
	{ soaked: { n8n }, watching }: World,
	licence: unknown,
): Promise<Execution[]> {
	const POLLS_MS = 30_000;
	const isReported = async () =>
		changesIn(await n8n.executionsOf(watching)).at(-1)?.newValue === licence;
	await until(isReported, POLLS_MS).catch(() => undefined);
	return await n8n.executionsOf(watching);
}

function machine(): string {
	const cpu = cpus()[0]?.model.trim() ?? 'unknown processor';
	const memoryGB = Math.round(totalmem() / 1024 ** 3);
	return `${cpu}, ${availableParallelism()} cores, ${memoryGB} GB`;
}

command(main, USAGE);
