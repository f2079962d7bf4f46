import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../../testbed/failure';
import { command, readOptions } from '../commandLine';
import { withBetween } from '../figures';
import { accountTable, MARKS } from './table';

const USAGE = `npm run simulate [-- --check]

  --check  writes nothing, and fails if the page has another table`;

const PAGE = path.resolve(__dirname, '../../docs/performance.md');
const cellsOf = (page: string) => page.replace(/ +/g, ' ');

/** Simulates people who share an account, prints what they meet, and writes it into the page on performance. */
async function main(): Promise<void> {
	const { check } = readOptions({ check: { type: 'boolean', default: false } });
	const made = await accountTable();
	console.log(made);
	const before = await readFile(PAGE, 'utf8');
	const page = withBetween(before, MARKS, made);
	if (!check) return await writeFile(PAGE, page);
	if (cellsOf(page) !== cellsOf(before)) {
		throw new Failure('docs/performance.md has another table. Run npm run simulate.');
	}
}

command(main, USAGE);
