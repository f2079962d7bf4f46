import { mkdir } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import path from 'node:path';
import manifest from '../../package.json';
import { readNumber, readOptions, UsageFailure } from '../commandLine';
import { run } from '../../testbed/command';
import { install, InstallFailure, installationOf, MAIN_VERSION } from '../../testbed/n8n/install';
import { Arena } from './arena';
import { CONTESTANTS, type ContestantName } from './contestants';
import { measureFootprint, type Footprint } from './footprint';
import { canPin, endAll, unlessCrashed } from './processes';
import { DOCS, readResults, renderReport, writeReport } from './report';
import type { Results } from './results';
import { describe, runScenario } from './rounds';
import { SCENARIOS, type Scenario } from './scenarios';
import { footprintTable, scenarioTable, targetTable } from './tables';
import { isMet, judge } from './targets';

const USAGE = `npm run bench -- [options]

  --scenario <name>      only this scenario; may be given again
  --only <contestant>    only this contestant; may be given again
  --runs <number>        how often each contestant runs in each scenario (3); once where there is a limit, since it takes minutes
  --footprint            only what the package weighs and what loading it costs n8n; the rest of the results in docs stays
  --quick                one run of the smallest scenarios, to try the benchmark itself
  --output <folder>      where results, page and chart are written; a full run writes them to docs
  --report               makes page and chart anew from the results in docs, without a run
  --profile <contestant> runs it once in one scenario (5000-0ms) and leaves a CPU profile in the folder given by --output (profile)

Scenarios    ${SCENARIOS.map(({ name }) => name).join(', ')}
Contestants  ${Object.keys(CONTESTANTS).join(', ')}`;

/** Ends the benchmark with a sentence instead of a stack. */
class BenchFailure extends Error {}

const readArguments = () =>
	readOptions({
		scenario: { type: 'string', multiple: true },
		only: { type: 'string', multiple: true },
		runs: { type: 'string' },
		footprint: { type: 'boolean', default: false },
		quick: { type: 'boolean', default: false },
		output: { type: 'string' },
		report: { type: 'boolean', default: false },
		profile: { type: 'string' },
		help: { type: 'boolean', default: false },
	});

type Arguments = ReturnType<typeof readArguments>;

function chosenScenarios({ scenario: names, only, quick }: Arguments): Scenario[] {
	const chosen = names ?? (quick ? ['100-0ms', '100-50ms'] : SCENARIOS.map(({ name }) => name));
	const contestants = only?.map(contestantOf);
	return chosen
		.map(scenarioOf)
		.map((scenario) => ({
			...scenario,
			contestants: scenario.contestants.filter((name) => contestants?.includes(name) ?? true),
		}))
		.filter((scenario) => scenario.contestants.length > 0);
}

function scenarioOf(name: string): Scenario {
	const found = SCENARIOS.find((scenario) => scenario.name === name);
	if (found) return found;
	throw new UsageFailure(`There is no scenario "${name}"`);
}

function contestantOf(name: string): ContestantName {
	if (Object.hasOwn(CONTESTANTS, name)) return name as ContestantName;
	throw new UsageFailure(`There is no contestant "${name}"`);
}

function runsOf({ runs, quick }: Arguments): number {
	return readNumber('runs', runs ?? (quick ? '1' : '3'), 1, 999);
}

/** Opens an arena with everything warm: a first run loads n8n's files and stores a token. */
async function withArena<T>(
	scenarios: readonly Scenario[],
	work: (arena: Arena) => Promise<T>,
): Promise<T> {
	await install(MAIN_VERSION);
	tell('Setting up n8n and the emulated service');
	// Each credential stores a token of its own.
	const warmUps = ['100-0ms', 'limit'].map((name) => ({
		...scenarioOf(name),
		name: `warm-up-${name}`,
		items: 1,
	}));
	const arena = await Arena.open([...warmUps, ...scenarios]);
	try {
		for (const warmUp of warmUps) {
			await unlessCrashed(async () => await arena.run(warmUp, 'getManySites'), tell);
		}
		return await work(arena);
	} finally {
		await arena.close();
	}
}

async function measureAll(scenarios: readonly Scenario[], runs: number): Promise<Results> {
	return await withArena(scenarios, async (arena) => {
		const results: Results = {
			date: new Date().toISOString().slice(0, 10),
			runs,
			versions: await versions(),
			machine: {
				cpu: cpus()[0]?.model.trim() ?? 'unknown processor',
				cores: availableParallelism(),
				memoryGB: Math.round(totalmem() / 1024 ** 3),
				isPinned: canPin,
			},
			scenarios: [],
		};
		for (const scenario of scenarios) {
			const done = await runScenario(arena, scenario, runs, tell);
			results.scenarios.push(done);
			console.log(`\n${done.title}\n\n${scenarioTable(done)}\n`);
		}
		return results;
	});
}

async function versions(): Promise<Results['versions']> {
	const node = await run(installationOf(MAIN_VERSION).node, ['--version'], { quiet: true });
	return { package: manifest.version, n8n: MAIN_VERSION, node: node.trim().replace(/^v/, '') };
}

/** How often the package is loaded: a process takes two seconds, and the figures are small. */
const LOADINGS = 15;

async function footprint(): Promise<Footprint> {
	await install(MAIN_VERSION);
	tell('Loading the package and an empty one in turns');
	const measured = await measureFootprint(LOADINGS, tell);
	console.log(`\nSize and start\n\n${footprintTable(measured)}\n`);
	return measured;
}

async function profile(name: ContestantName, { scenario, output }: Arguments): Promise<void> {
	const folder = path.resolve(output ?? 'profile');
	const chosen = { ...scenarioOf(scenario?.[0] ?? '5000-0ms'), contestants: [name] };
	await mkdir(folder, { recursive: true });
	await withArena([chosen], async (arena) => {
		const done = await arena.run(chosen, name, ['--cpu-prof', `--cpu-prof-dir=${folder}`]);
		tell(describe(name, done, chosen.items));
		tell(`The profile is in ${folder}`);
	});
}

async function main(): Promise<void> {
	const typed = readArguments();
	if (typed.help) return console.log(USAGE);
	if (typed.report) return await renderReport(DOCS);
	if (typed.profile !== undefined) return await profile(contestantOf(typed.profile), typed);

	if (!canPin) tell('Processes cannot be pinned to cores here: the figures will vary more');
	const isFull = !typed.quick && !typed.scenario && !typed.only;
	const results = typed.footprint
		? await readResults(DOCS)
		: await measureAll(chosenScenarios(typed), runsOf(typed));
	if (isFull) results.footprint = await footprint();
	const targets = targetTable(results);
	if (targets) console.log(`Targets\n\n${targets}\n`);

	const folder = typed.output ?? (isFull ? DOCS : undefined);
	if (folder !== undefined) {
		await mkdir(folder, { recursive: true });
		await writeReport(results, folder);
		tell(`Results, page and chart are in ${path.resolve(folder)}`);
	}
	if (!judge(results).every(isMet)) {
		throw new BenchFailure('What is required was not reached: see the targets that were missed');
	}
}

function tell(line: string): void {
	console.error(`• ${line}`);
}

let interruption: NodeJS.Signals | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
	process.on(signal, () => {
		interruption = signal;
		endAll();
	});
}

main()
	.catch((error: Error) => {
		if (interruption) console.error(`✗ The benchmark was interrupted by ${interruption}`);
		else if (error instanceof UsageFailure) console.error(`✗ ${error.message}\n\n${USAGE}`);
		else if (error instanceof BenchFailure || error instanceof InstallFailure)
			console.error(`✗ ${error.message}`);
		else console.error(`✗ The benchmark broke off: ${error.stack}`);
		process.exitCode = 1;
	})
	.finally(endAll);
