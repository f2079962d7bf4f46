import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { chart } from './chart';
import type { Results } from './results';
import { allTables } from './tables';

/** Where the figures of the last full run are kept. */
export const DOCS = path.resolve(__dirname, '../../docs');

const [BEGIN, END] = ['<!-- figures: written by npm run bench -->', '<!-- end of figures -->'];

/** Writes the results as JSON, and what is made of them, into a folder. */
export async function writeReport(results: Results, folder: string): Promise<void> {
	await writeFile(resultsFile(folder), `${JSON.stringify(results, null, '\t')}\n`);
	await renderReport(folder);
}

/** Makes the page and the chart anew from the results in a folder. */
export async function renderReport(folder: string): Promise<void> {
	const results = await readResults(folder);
	const page = await readFile(pageFile(DOCS), 'utf8');
	await writeFile(pageFile(folder), withFigures(page, results));
	await writeFile(chartFile(folder), chart(results));
}

export async function readResults(folder: string): Promise<Results> {
	return JSON.parse(await readFile(resultsFile(folder), 'utf8')) as Results;
}

/** The page with the figures of these results between its marks. */
export function withFigures(page: string, results: Results): string {
	const [before, rest = ''] = page.split(BEGIN);
	const [, after] = rest.split(END);
	if (before === undefined || after === undefined) {
		throw new Error(`The page on performance lacks its marks: ${BEGIN} and ${END}`);
	}
	return `${before}${BEGIN}\n\n${circumstances(results)}\n\n${allTables(results)}\n\n${END}${after}`;
}

export const pageFile = (folder: string) => path.join(folder, 'performance.md');
export const chartFile = (folder: string) => path.join(folder, 'performance.svg');
const resultsFile = (folder: string) => path.join(folder, 'performance.json');

function circumstances({ date, runs, versions, machine }: Results): string {
	const pinned = machine.isPinned
		? 'n8n and the service on a core each'
		: 'n8n and the service not pinned to cores';
	return `Measured on ${date}: n8n ${versions.n8n} on Node.js ${versions.node}, package ${versions.package}; ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGB} GB, ${pinned}; medians of ${runs}.`;
}
