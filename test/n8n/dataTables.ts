import { Page } from '../docs/pages';

const { blocks } = new Page('examples/README.md');

/** The CSV file of the examples' guide that has this column. */
export function csvWith(column: string): string {
	const found = blocks.filter(
		({ language, text }) => language === 'csv' && text.split('\n')[0]?.split(',').includes(column),
	);
	expect(found).toHaveLength(1);
	return found[0]?.text ?? '';
}

/** What a node has once a data table is chosen in it. */
export function chosen(dataTable: string) {
	return { dataTableId: { __rl: true, mode: 'list', value: dataTable } };
}

/** What the nodes of the example `sites-in-a-data-table` have once a data table is chosen in them. */
export function sitesTable(dataTable: string) {
	return { 'Save Sites': chosen(dataTable), 'Mark Gone Sites': chosen(dataTable) };
}
