import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { command } from '../commandLine';
import { accountTable, withTable } from './table';

const PAGE = path.resolve(__dirname, '../../docs/performance.md');

/** Simulates people who share an account, prints what they meet, and writes it into the page on performance. */
async function main(): Promise<void> {
	const made = await accountTable();
	console.log(made);
	await writeFile(PAGE, withTable(await readFile(PAGE, 'utf8'), made));
}

command(main);
