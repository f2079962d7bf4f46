import type { ContestantName } from './contestants';
import type { Figures } from './figures';
import type { Footprint } from './footprint';

/** What the benchmark writes, and what tables, chart and targets are made from. */
export interface Results {
	/** Day of the measurement, YYYY-MM-DD. */
	date: string;
	/** How often each contestant ran in each scenario. */
	runs: number;
	versions: { package: string; n8n: string; node: string };
	machine: {
		cpu: string;
		cores: number;
		memoryGB: number;
		/** Whether n8n and the service had a core each. */
		isPinned: boolean;
	};
	/** Only a run that measures the package itself has it. */
	footprint?: Footprint;
	scenarios: ScenarioResults[];
}

export interface ScenarioResults {
	name: string;
	title: string;
	/** Items that a run was to put out. */
	items: number;
	contestants: ContestantResults[];
}

interface ContestantResults {
	name: ContestantName;
	label: string;
	figures: Figures;
}

/** The figures of a contestant in a scenario, if it has run in it. */
export function figuresOf(
	{ scenarios }: Results,
	scenario: string,
	contestant: ContestantName,
): Figures | undefined {
	return scenarios
		.find(({ name }) => name === scenario)
		?.contestants.find(({ name }) => name === contestant)?.figures;
}
