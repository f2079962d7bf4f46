import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { table } from '../figures';
import { isMet, targetsOf, type Results } from './results';
import { SCENARIOS, STEPS, type Scenario } from './scenarios';
import type { SharedFigures } from './shared';

/** Where the results of the last full run are kept. */
export const DOCS = path.resolve(__dirname, '../../docs');

const [BEGIN, END] = ['<!-- figures: written by npm run bench -->', '<!-- end of figures -->'];

export async function readResults(folder: string): Promise<Results> {
	return JSON.parse(await readFile(path.join(folder, 'performance.json'), 'utf8')) as Results;
}

/** Writes the results, and the page with their tables, into a folder. */
export async function writeReport(results: Results, folder: string): Promise<void> {
	const page = await readFile(path.join(DOCS, 'performance.md'), 'utf8');
	const json = `${JSON.stringify(results, null, '\t')}\n`;
	await writeFile(path.join(folder, 'performance.json'), json);
	await writeFile(path.join(folder, 'performance.md'), withFigures(page, results));
}

/** The page with the tables of these results between its marks. */
export function withFigures(page: string, results: Results): string {
	const [before, rest = ''] = page.split(BEGIN);
	const [, after] = rest.split(END);
	if (before === undefined || after === undefined) {
		throw new Error(`The page on performance lacks its marks: ${BEGIN} and ${END}`);
	}
	return `${before}${BEGIN}\n\n${tables(results)}\n\n${END}${after}`;
}

/** What was measured, in Markdown: the targets, a table for each scenario, and what loading the package costs. */
export function tables(results: Results): string {
	const { date, versions, machine, loading, shared, against = '' } = results;
	const targets = targetsOf(results).map((target) => [
		target.what,
		String(target.atMost),
		target.measured.toFixed(2),
		isMet(target) ? 'met' : 'missed',
	]);
	const loadings = loading?.map(({ build, milliseconds, heapMB }) => [
		build === 'other' ? against : 'This package',
		milliseconds.toFixed(1),
		heapMB.toFixed(1),
	]);
	return [
		`Measured on ${date}: package ${versions.package}, n8n ${versions.n8n} on Node.js ${versions.node}; ${machine.cpu}, ${machine.cores} cores; n8n and the service ${machine.isPinned ? 'on a core each' : 'not on cores of their own'}.`,
		...section('Targets', table(['', 'at most', 'measured', ''], targets), targets.length),
		...SCENARIOS.flatMap((scenario) => scenarioSection(scenario, results)),
		...(shared ? section('Beside each other on one account', sharedTable(shared)) : []),
		...(loadings
			? section('Loading, more than an empty package', table(['', 'ms', 'heap MB'], loadings))
			: []),
	].join('\n\n');
}

function scenarioSection({ name, latencyMs, requestsPerMinute }: Scenario, results: Results) {
	const { figures, against = '' } = results;
	const rows = figures.filter(({ scenario }) => scenario === name);
	const [{ sites, runs } = { sites: 0, runs: 0 }] = rows;
	const limit = requestsPerMinute > 0 ? `${requestsPerMinute} requests a minute` : 'no limit';
	const title = `${sites.toLocaleString('en')} sites, ${latencyMs} ms latency, ${limit}`;
	const cells = rows.map((row) => [
		STEPS[row.step].label + (row.build === 'other' ? `, ${against}` : ''),
		row.seconds.toFixed(2),
		row.cpuMsPerSite.toFixed(2),
		row.memoryMB.toFixed(0),
		String(row.refused),
		String(row.lost),
	]);
	const number = runs === 1 ? 'One run' : `Medians of ${runs} runs`;
	return section(title, `${number}.\n\n${table(COLUMNS, cells)}`, rows.length);
}

function sharedTable(shared: readonly SharedFigures[]): string {
	const cells = shared.map(({ what, aloneSeconds, besideSeconds, refused }) => [
		what,
		aloneSeconds.toFixed(1),
		besideSeconds.toFixed(1),
		(besideSeconds / aloneSeconds).toFixed(2),
		String(refused),
	]);
	return table(['', 'alone, seconds', 'beside', 'ratio', 'refused'], cells);
}

const section = (title: string, text: string, rows = 1) =>
	rows > 0 ? [`### ${title}\n\n${text}`] : [];

const COLUMNS = ['', 'seconds', 'CPU ms/site', 'memory +MB', 'refused', 'lost'];
