import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { accountTable, withTable } from '../../scripts/simulate/table';

const PAGE = path.resolve(__dirname, '../../docs/performance.md');
const cellsOf = (page: string) => page.replace(/ +/g, ' ');

it('the page on performance has the table that is simulated now', async () => {
	const page = await readFile(PAGE, 'utf8');

	expect(cellsOf(withTable(page, await accountTable()))).toBe(cellsOf(page));
}, 300_000);
