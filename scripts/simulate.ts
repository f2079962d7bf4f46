import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EVERY_COUNTING, SCENARIOS } from '../testbed/simulation/scenarios';
import { command } from './commandLine';
import { table, replaceBetween } from './figures';

const PAGE = path.resolve(__dirname, '../docs/maintaining.md');
const MARKS = [
	'<!-- account table: written by npm run simulate -->',
	'<!-- end of account table -->',
] as const;

/** Simulates people who share an account, and prints the results and writes them into the page for maintainers. */
async function main(): Promise<void> {
	const rows: string[][] = [];
	for (const { what, play } of SCENARIOS) rows.push([what, (await play(EVERY_COUNTING)).end]);
	const made = table(['What happens', 'How it ends'], rows);
	console.log(made);
	await writeFile(PAGE, replaceBetween(await readFile(PAGE, 'utf8'), MARKS, made));
}

command(main, 'npm run simulate');
