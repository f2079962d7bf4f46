import { median } from '../figures';
import type { Loading } from './loadPackage.mjs';
import type { Build, Run } from './measure';
import type { SharedFigures } from './shared';
import { SCENARIOS, STEPS, type ScenarioName, type StepName } from './scenarios';

/** What the benchmark measured, as `performance.json` holds it. */
export interface Results {
	/** YYYY-MM-DD. */
	date: string;
	versions: { package: string; n8n: string; node: string };
	/** The commit, or else the folder, of the other build. */
	against?: string;
	machine: { cpu: string; cores: number; isPinned: boolean };
	figures: Figures[];
	/** Medians, less those of an empty package. */
	loading?: Array<Loading & { build: Build }>;
	shared?: SharedFigures[];
}

/** The medians of the runs of a step; of what was refused and lost the most. */
export interface Figures extends Run {
	scenario: ScenarioName;
	step: StepName;
	build: Build;
	sites: number;
	runs: number;
}

/** A figure that must not be larger than a bound. */
export interface Target {
	what: string;
	atMost: number;
	measured: number;
}

export function summarize(runs: readonly Run[]): Run {
	const of = (figure: keyof Run) => runs.map((run) => run[figure]);
	return {
		seconds: median(of('seconds')),
		cpuMsPerSite: median(of('cpuMsPerSite')),
		memoryMB: median(of('memoryMB')),
		refused: Math.max(...of('refused')),
		lost: Math.max(...of('lost')),
	};
}

/** What the package must reach, with what was measured. A target whose figures were not measured is left out. */
export function targetsOf({ figures, loading, against, shared = [] }: Results): Target[] {
	const targets: Target[] = [];
	const add = (what: string, atMost: number, measured: number | undefined) => {
		if (measured !== undefined) targets.push({ what, atMost, measured });
	};
	const find = (scenario: ScenarioName, step: StepName, build = 'this') =>
		figures.find((row) => row.scenario === scenario && row.step === step && row.build === build);
	const cpu = (row?: Figures, other?: Figures) =>
		row && other && row.cpuMsPerSite / other.cpuMsPerSite;
	const time = (row?: Figures, other?: Figures) => row && other && row.seconds / other.seconds;

	for (const step of ['getSite', 'getManySites'] as const) {
		const { label } = STEPS[step];
		const [ours, others] = [find('cpu', step), find('cpu', step, 'other')];
		add(`${label}: CPU, of ${against}`, 1.15, cpu(ours, others));
		add(`${label}: CPU, of HTTP Request`, 0.35, cpu(ours, find('cpu', 'httpRequest')));
		const seconds = time(find('time', step), find('time', 'script'));
		add(`${label}: time, of the bare script`, 1.2, seconds);
	}
	for (const { step, sites, seconds, refused } of figures.filter(isLimited)) {
		const { label } = STEPS[step];
		const ratio = seconds / pacedSeconds(sites);
		add(`${label}: time, of that at 93 requests a minute`, 1.1, ratio);
		add(`${label}: requests refused, with the limit`, 0, refused);
	}
	const [run, ...others] = shared;
	add(
		`${run?.what}: time beside others, of alone`,
		1.3,
		run && run.besideSeconds / run.aloneSeconds,
	);
	for (const { what, besideSeconds } of others) {
		add(`${what} beside the run of 420 sites: seconds`, 10, besideSeconds);
	}
	const refused = shared.reduce((sum, row) => sum + row.refused, 0);
	add('Beside each other: requests refused', 0, run && refused);
	const lost = figures.reduce((sum, row) => sum + row.lost, 0);
	add('Sites lost, in all rows', 0, figures.length > 0 ? lost : undefined);
	const ours = loading?.find(({ build }) => build === 'this');
	add('Loading: ms', 15, ours?.milliseconds);
	add('Loading: MB of heap', 3, ours?.heapMB);
	return targets;
}

/** False also for a figure that is no number. */
export const isMet = ({ measured, atMost }: Target) => measured <= atMost;

const isLimited = ({ scenario }: Figures) => scenario === 'limit';

/** The time for so many sites at the pace of the scenario with the limit, of which some is left to others. */
function pacedSeconds(sites: number): number {
	const { requestsPerMinute = NaN } = SCENARIOS.find(({ name }) => name === 'limit') ?? {};
	return (60 * sites) / (0.93 * requestsPerMinute);
}
