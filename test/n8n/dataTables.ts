import { Page } from '../docs/pages';

const { blocks } = new Page('examples/README.md');

/** Returns the CSV file in examples/README.md that has this column. */
export function csvWith(column: string): string {
	const found = blocks.filter(
		({ language, text }) => language === 'csv' && text.split('\n')[0]?.split(',').includes(column),
	);
	expect(found).toHaveLength(1);
	return found[0]?.text ?? '';
}

/** Parameters of a node in which this data table is selected. */
export function chosen(dataTable: string) {
	return { dataTableId: { __rl: true, mode: 'list', value: dataTable } };
}

/** The same for the nodes of `sites-in-a-data-table`. */
export function sitesTable(dataTable: string) {
	return { 'Save Sites': chosen(dataTable), 'Mark Gone Sites': chosen(dataTable) };
}
