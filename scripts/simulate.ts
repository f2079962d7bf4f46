import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EVERY_COUNTING, SCENARIOS } from '../testbed/simulation/scenarios';
import { command } from './commandLine';
import { table, withBetween } from './figures';

const PAGE = path.resolve(__dirname, '../docs/maintaining.md');
const MARKS = [
	'<!-- account table: written by npm run simulate -->',
	'<!-- end of account table -->',
] as const;

/** Simulates people who share an account, prints what they meet, and writes it into the page for maintainers. */
async function main(): Promise<void> {
	const rows: string[][] = [];
	for (const { what, play } of SCENARIOS) rows.push([what, (await play(EVERY_COUNTING)).end]);
	const made = table(['What happens', 'How it ends'], rows);
	console.log(made);
	await writeFile(PAGE, withBetween(await readFile(PAGE, 'utf8'), MARKS, made));
}

command(main, 'npm run simulate');
