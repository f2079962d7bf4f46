import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import path from 'node:path';
import { xSync } from 'tinyexec';
import { Failure } from '../../testbed/failure';
import { install } from '../../testbed/n8n/install';
import { MAIN_VERSION } from '../../testbed/n8n/versions';
import { Stage } from '../../testbed/stage';
import { command, interrupted, readOptions, say, UsageFailure } from '../commandLine';
import { median, versions } from '../figures';
import type { Loading } from './loadPackage.mjs';
import { Bench, pinService, type Build, type Run } from './measure';
import { DOCS, readResults, tables, writeReport } from './report';
import { isMet, summarize, targetsOf, type Figures, type Results } from './results';
import { SCENARIOS, STEPS, type Scenario } from './scenarios';
import { measureShared } from './shared';

const LOADING = 'loading';
const SHARED = 'shared';
const PARTS = [...SCENARIOS.map(({ name }) => name), SHARED, LOADING];
/** How often each package is loaded: a process takes two seconds, and the figures are small. */
const LOADINGS = 15;

const USAGE = `npm run bench -- [options]

  --against <folder>  runs a built checkout of another commit too, in turns with this one
  --only <part>       only this part, one of ${PARTS.join(', ')}; may be given again
  --quick             one run of a tenth of the sites, without the limit and what shares it, to try the benchmark itself; fails at no target
  --profile <folder>  leaves a CPU profile of each workflow there, which slows n8n down
  --output <folder>   writes the results there; without it, only a full run is written, to docs
  --report            no run: checks the results in docs, or in the --output folder, against the targets, and writes their page again`;

type Arguments = ReturnType<typeof readArguments>;

function readArguments() {
	const typed = readOptions({
		against: { type: 'string' },
		only: { type: 'string', multiple: true, default: PARTS },
		quick: { type: 'boolean', default: false },
		profile: { type: 'string' },
		output: { type: 'string' },
		report: { type: 'boolean', default: false },
		help: { type: 'boolean', default: false },
	});
	const unknown = typed.only.find((part) => !PARTS.includes(part));
	if (unknown !== undefined) throw new UsageFailure(`There is no part "${unknown}"`);
	const against = typed.against && path.resolve(typed.against);
	if (against && !existsSync(path.join(against, 'dist'))) {
		throw new UsageFailure(`${against} is no built checkout: run npm run build in it`);
	}
	return { ...typed, against };
}

async function main(): Promise<void> {
	const typed = readArguments();
	if (typed.help) return console.log(USAGE);
	const isFull = !typed.quick && !typed.profile && PARTS.every((part) => typed.only.includes(part));
	const output = typed.output ?? (isFull || typed.report ? DOCS : undefined);
	const results = await (typed.report ? readResults(output ?? DOCS) : measureAll(typed));
	if (output !== undefined) {
		await mkdir(output, { recursive: true });
		await writeReport(results, output);
		say(`The results and their page are in ${path.resolve(output)}`);
	}
	console.log(tables(results));
	const missed = targetsOf(results).filter((target) => !isMet(target));
	if (missed.length > 0 && !typed.quick) {
		throw new Failure(`Missed: ${missed.map(({ what }) => what).join('; ')}`);
	}
}

function chosenScenarios({ only, quick }: Arguments): Scenario[] {
	return SCENARIOS.filter(({ name }) => only.includes(name) && !(quick && name === 'limit')).map(
		(scenario) => ({
			...scenario,
			...(quick && { sites: scenario.sites / 10, runs: 1 }),
		}),
	);
}

async function measureAll(typed: Arguments): Promise<Results> {
	const { against, profile } = typed;
	const scenarios = chosenScenarios(typed);
	await install(MAIN_VERSION);
	const cores = availableParallelism();
	const isPinned = cores > 1 && pinService();
	if (!isPinned) say('Processes cannot be pinned to cores here: the figures vary more');
	say('Setting up n8n and the emulated service');
	const stage = new Stage();
	try {
		const bench = await Bench.open(stage, scenarios, against, {
			isPinned,
			profile: profile && path.resolve(profile),
			signal: interrupted(),
		});
		const builds: Build[] = against === undefined ? ['this'] : ['this', 'other'];
		const figures: Figures[] = [];
		for (const scenario of scenarios) figures.push(...(await run(bench, scenario, builds)));
		return {
			date: new Date().toISOString().slice(0, 10),
			versions: versions(),
			...(against !== undefined && { against: commitOf(against) }),
			machine: { cpu: cpus()[0]?.model.trim() ?? '', cores, isPinned },
			figures,
			...(typed.only.includes(SHARED) && !typed.quick && { shared: await measureShared(stage) }),
			...(typed.only.includes(LOADING) && {
				loading: await load(bench, builds, typed.quick ? 3 : LOADINGS),
			}),
		};
	} finally {
		await stage.end();
	}
}

/** Runs all steps in turns, so that a drift of the machine affects all of them alike. */
async function run(bench: Bench, scenario: Scenario, builds: readonly Build[]): Promise<Figures[]> {
	const { name, sites, runs } = scenario;
	const rows = scenario.steps.flatMap((step) =>
		builds
			.filter((build) => build === 'this' || (STEPS[step].usesPackage && name !== 'limit'))
			.map((build) => ({ step, build, done: [] as Run[] })),
	);
	for (let round = 1; round <= runs; round += 1) {
		for (const { step, build, done } of rows) {
			const measured = await bench.run(scenario, step, build);
			const { seconds, cpuMsPerSite, lost } = measured;
			done.push(measured);
			say(
				`${name} ${round}/${runs}: ${STEPS[step].label} (${build}) ${seconds.toFixed(2)} s, ${cpuMsPerSite.toFixed(2)} ms CPU/site, ${lost} lost`,
			);
		}
	}
	return rows.map(({ done, ...row }) => ({
		scenario: name,
		...row,
		sites,
		runs,
		...summarize(done),
	}));
}

/** Loads the packages and an empty one in turns. */
async function load(bench: Bench, builds: readonly Build[], times: number) {
	say('Loading the package and an empty one');
	const empty: Loading[] = [];
	const rows = builds.map((build) => ({ build, done: [] as Loading[] }));
	for (let time = 0; time < times; time += 1) {
		empty.push(await bench.load('empty'));
		for (const { build, done } of rows) done.push(await bench.load(build));
	}
	const net = (done: readonly Loading[], figure: keyof Loading) =>
		median(done.map((loading) => loading[figure])) -
		median(empty.map((loading) => loading[figure]));
	return rows.map(({ build, done }) => ({
		build,
		milliseconds: net(done, 'milliseconds'),
		heapMB: net(done, 'heapMB'),
	}));
}

/** The short hash of the commit that is checked out in a folder, or else the folder's name. */
function commitOf(folder: string): string {
	const { stdout } = xSync('git', ['-C', folder, 'rev-parse', '--short', 'HEAD']);
	return stdout.trim() || path.basename(folder);
}

command(main, USAGE);
