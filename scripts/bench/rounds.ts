import { baselineOf, type Arena, type Baseline, type Run } from './arena';
import { CONTESTANTS, type ContestantName } from './contestants';
import { summarize } from './figures';
import type { Usage } from './probe.mjs';
import { unlessCrashed } from './processes';
import type { ScenarioResults } from './results';
import type { Scenario } from './scenarios';

/**
 * Runs all contestants of a scenario, and what they are compared with, in turns, so that a drift of the machine meets
 * all alike.
 *
 * @param usualRounds how often each of them runs, unless the scenario takes so long that it says so itself.
 * @param tell is given a line about each run.
 */
export async function runScenario(
	arena: Arena,
	scenario: Scenario,
	usualRounds: number,
	tell: (line: string) => void,
): Promise<ScenarioResults> {
	const { contestants, items, distinctSites = items, rounds = usualRounds } = scenario;
	const { requestsPerMinute } = scenario.service;
	const baselines = new Map<Baseline, Usage[]>(
		contestants.map((name) => [baselineOf(name), []] as const),
	);
	const runs = new Map<ContestantName, Run[]>(contestants.map((name) => [name, []] as const));

	for (let round = 1; round <= rounds; round += 1) {
		for (const [baseline, usages] of baselines) {
			usages.push(
				await unlessCrashed(async () => await arena.runBaseline(scenario, baseline), tell),
			);
		}
		for (const [name, done] of runs) {
			const run = await unlessCrashed(async () => await arena.run(scenario, name), tell);
			done.push(run);
			tell(`${scenario.name}, round ${round} of ${rounds}: ${describe(name, run, items)}`);
		}
	}
	return {
		name: scenario.name,
		title: scenario.title,
		items,
		contestants: contestants.map((name) => ({
			name,
			label: CONTESTANTS[name].label,
			figures: summarize(runs.get(name) ?? [], baselines.get(baselineOf(name)) ?? [], {
				items,
				distinctSites,
				requestsPerMinute,
			}),
		})),
	};
}

/** A run in a line. */
export function describe(name: ContestantName, run: Run, items: number): string {
	const lost = items - run.itemsArrived;
	return [
		`${name} ${run.stepSeconds.toFixed(2)} s`,
		`process ${run.processSeconds.toFixed(2)} s with ${run.cpuSeconds.toFixed(2)} s of CPU`,
		...(lost > 0 ? [`${lost} of ${items} items LOST`] : []),
	].join(', ');
}
