import type { Figures } from './figures';
import type { Footprint } from './footprint';
import type { Results, ScenarioResults } from './results';
import { table } from './table';
import { isMet, judge, type Verdict } from './targets';

/** The columns of a scenario's table: title, and what of the figures stands there. */
const COLUMNS: ReadonlyArray<readonly [string, (figures: Figures) => string]> = [
	['items', ({ itemsArrived }) => whole(itemsArrived)],
	['lost', ({ itemsLost }) => (itemsLost > 0 ? whole(itemsLost) : '')],
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

/** The further columns where there is a limit. */
const LIMIT_COLUMNS: typeof COLUMNS = [
	['refused', ({ refusals }) => whole(refusals)],
	[
		'step/shortest',
		({ timesShortest, itemsLost }) => (itemsLost > 0 ? '' : timesShortest.toFixed(2)),
	],
];

/** The table of a scenario, one row for each contestant. */
export function scenarioTable({ contestants }: ScenarioResults): string {
	const isLimited = contestants.some(({ figures }) => figures.timesShortest > 0);
	const columns = isLimited ? [...COLUMNS, ...LIMIT_COLUMNS] : COLUMNS;
	return table(
		['', ...columns.map(([title]) => title)],
		contestants.map(({ label, figures }) => [label, ...columns.map(([, cell]) => cell(figures))]),
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
			share(verdict.measured),
			verdictWord(verdict),
		]),
	);
}

/** The table of what the package weighs and what loading it costs. */
export function footprintTable({ tarball, unpacked, code, loading }: Footprint): string {
	return table(
		['', ''],
		[
			['tarball', kilobytes(tarball)],
			['unpacked', kilobytes(unpacked)],
			...code.map(({ file, bytes }) => [`\`${file}\``, kilobytes(bytes)]),
			['loading: time', `${loading.milliseconds.toFixed(1)} ms`],
			['loading: heap that stays', `${loading.heapMB.toFixed(1)} MB`],
			['loading: memory of the process', `${loading.memoryMB.toFixed(1)} MB`],
		],
	);
}

/** All tables, each under a heading. */
export function allTables(results: Results): string {
	const sections = results.scenarios.map(
		(scenario) => `### ${capitalized(scenario.title)}\n\n${scenarioTable(scenario)}`,
	);
	const targets = targetTable(results);
	const { footprint } = results;
	return [
		...(targets ? [`### Targets\n\n${targets}`] : []),
		...(footprint
			? [`### Size and start\n\nMeasured on ${footprint.date}.\n\n${footprintTable(footprint)}`]
			: []),
		...sections,
	].join('\n\n');
}

function verdictWord(verdict: Verdict): string {
	if (verdict.measured <= verdict.goal) return 'goal reached';
	return verdict.required !== undefined && isMet(verdict) ? 'requirement met' : 'missed';
}

function share(value: number): string {
	if (value === Infinity) return 'items lost';
	return Number.isInteger(value) ? whole(value) : value.toFixed(3);
}

/** Without the sign that JavaScript keeps of a rounded small negative number. */
const whole = (value: number) => (Math.round(value) + 0).toLocaleString('en');
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
