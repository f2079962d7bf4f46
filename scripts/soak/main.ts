import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import path from 'node:path';
import { readNumber, readOptions, UsageFailure } from '../commandLine';
import manifest from '../../package.json';
import { run } from '../../testbed/command';
import { install, installationOf, MAIN_VERSION } from '../../testbed/n8n/install';
import { judge } from './bounds';
import { planSoak } from './plan';
import { reportOf } from './report';
import type { Results } from './results';
import { soak } from './soak';
import { World } from './world';

const FULL_MINUTES = 30;
const DOCS = path.resolve(__dirname, '../../docs');
const USAGE = `npm run soak -- [options]

  --minutes <number>  how long it takes (${FULL_MINUTES})
  --rate <number>     executions that are started in a second (5)
  --seed <number>     draws the same executions and disturbances again; where it is left out, it is a new one
  --output <folder>   where soak.json is written; a soak of ${FULL_MINUTES} minutes or more writes it to docs`;

/** Ends the soak with a sentence instead of a stack. */
class SoakFailure extends Error {}

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
	process.on(signal, () => interruption.abort());
}

async function main(): Promise<void> {
	const typed = readOptions({
		minutes: { type: 'string', default: String(FULL_MINUTES) },
		rate: { type: 'string', default: '5' },
		seed: { type: 'string', default: String(Date.now() % 1_000_000) },
		output: { type: 'string' },
		help: { type: 'boolean', default: false },
	});
	if (typed.help) return console.log(USAGE);
	// After an hour the node asks again for what the account may not read, which the rules of the soak do not know.
	const minutes = readNumber('minutes', typed.minutes, 1, 60);
	const rate = readNumber('rate', typed.rate, 1, 50);
	const seed = readNumber('seed', typed.seed, 0, 1_000_000);

	await install(MAIN_VERSION);
	const results: Results = {
		date: new Date().toISOString().slice(0, 10),
		seed,
		minutes,
		executionsPerSecond: rate,
		versions: await versions(),
		machine: machine(),
		...(await inWorld(async (world) => {
			const plan = planSoak(seed, minutes * 60, rate);
			tell(
				`Seed ${seed}: ${plan.calls.length} executions and ${plan.disturbances.length} disturbances in ${minutes} minutes`,
			);
			return await soak(world, plan, interruption.signal);
		})),
	};
	console.log(`\n${reportOf(results)}\n`);
	for (const fault of [...results.faults, ...results.secrets.found].slice(0, 20)) tell(fault);

	const folder = typed.output ?? (minutes >= FULL_MINUTES ? DOCS : undefined);
	if (folder !== undefined) await write(results, folder);
	if (judge(results).some(({ isMet }) => isMet === false)) {
		throw new SoakFailure(`What is required was missed: npm run soak -- --seed ${seed}`);
	}
}

/** Does a work in a world that is ended whatever happens. */
async function inWorld<T>(work: (world: World) => Promise<T>): Promise<T> {
	tell('Setting up two n8n and the emulated services');
	const world = new World();
	try {
		await world.begin();
		interruption.signal.throwIfAborted();
		return await work(world);
	} finally {
		tell('Ending n8n and the emulated services');
		await world.end();
	}
}

async function write(results: Results, folder: string): Promise<void> {
	await mkdir(folder, { recursive: true });
	const file = path.resolve(folder, 'soak.json');
	await writeFile(file, `${JSON.stringify(results, null, '\t')}\n`);
	tell(`The results are in ${file}`);
}

async function versions(): Promise<Results['versions']> {
	const node = await run(installationOf(MAIN_VERSION).node, ['--version'], { quiet: true });
	return { package: manifest.version, n8n: MAIN_VERSION, node: node.trim().replace(/^v/, '') };
}

function machine(): string {
	const cpu = cpus()[0]?.model.trim() ?? 'unknown processor';
	const memoryGB = Math.round(totalmem() / 1024 ** 3);
	return `${cpu}, ${availableParallelism()} cores, ${memoryGB} GB`;
}

function tell(line: string): void {
	console.error(`• ${line}`);
}

main().catch((error: Error) => {
	if (interruption.signal.aborted) console.error('✗ The soak was interrupted');
	else if (error instanceof UsageFailure) console.error(`✗ ${error.message}\n\n${USAGE}`);
	else if (error instanceof SoakFailure) console.error(`✗ ${error.message}`);
	else console.error(`✗ The soak broke off: ${error.stack}`);
	process.exitCode = 1;
});
