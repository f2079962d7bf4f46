import type { Figures } from './figures';
import type { Results, ScenarioResults } from './results';
import { table } from './table';
import { isMet, judge, type Verdict } from './targets';

/** The columns of a scenario's table: title, and what of the figures stands there. */
const COLUMNS: ReadonlyArray<readonly [string, (figures: Figures, items: number) => string]> = [
	['items', ({ itemsArrived }) => whole(itemsArrived)],
	[
		'lost',
		({ itemsArrived }, items) => (itemsArrived === items ? '' : whole(items - itemsArrived)),
	],
	['step s', ({ stepSeconds }) => stepSeconds.toFixed(2)],
	['process s', ({ processSeconds }) => processSeconds.toFixed(2)],
	['CPU s', ({ cpuSeconds }) => cpuSeconds.toFixed(2)],
	['CPU ms/item', ({ cpuMsPerItem }) => cpuMsPerItem.toFixed(2)],
	['memory +MB', ({ memoryGrowthMB }) => whole(memoryGrowthMB)],
	['requests/site', ({ requestsPerSite }) => requestsPerSite.toFixed(2)],
	['connections', ({ connections }) => whole(connections)],
	['exchanges', ({ exchanges }) => whole(exchanges)],
	['peak', ({ peakConcurrency }) => whole(peakConcurrency)],
];

/** The table of a scenario, one row for each contestant. */
export function scenarioTable({ items, contestants }: ScenarioResults): string {
	return table(
		['', ...COLUMNS.map(([title]) => title)],
		contestants.map(({ label, figures }) => [
			label,
			...COLUMNS.map(([, cell]) => cell(figures, items)),
		]),
	);
}

/** The table of what is required, what is the goal, and what was measured; empty where nothing can be told. */
export function targetTable(results: Results): string {
	const verdicts = judge(results);
	if (verdicts.length === 0) return '';
	return table(
		['', 'required', 'goal', 'measured', ''],
		verdicts.map((verdict) => [
			verdict.what,
			verdict.required === undefined ? '' : `≤ ${verdict.required}`,
			`≤ ${verdict.goal}`,
			Number.isInteger(verdict.measured) ? whole(verdict.measured) : verdict.measured.toFixed(3),
			verdictWord(verdict),
		]),
	);
}

/** All tables, each under a heading. */
export function allTables(results: Results): string {
	const sections = results.scenarios.map(
		(scenario) => `### ${capitalized(scenario.title)}\n\n${scenarioTable(scenario)}`,
	);
	const targets = targetTable(results);
	return [...(targets ? [`### Targets\n\n${targets}`] : []), ...sections].join('\n\n');
}

function verdictWord(verdict: Verdict): string {
	if (verdict.measured <= verdict.goal) return 'goal reached';
	return isMet(verdict) ? 'met' : 'missed';
}

const whole = (value: number) => Math.round(value).toLocaleString('en');
const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
