import { exampleWorkflow } from '../../testbed/n8n/examples';

/** Returns the CSV file in a note of an example, from which to create its data table. */
export function tableFile(example: string): string {
	const notes = exampleWorkflow(example).nodes.map(({ parameters }) => String(parameters.content));
	const found = notes.flatMap((note) => [...note.matchAll(/```\n([^`]*)```/g)]);
	expect(found).toHaveLength(1);
	return found[0]?.[1] ?? '';
}

/** Parameters of a node in which this data table is selected. */
export function chosen(dataTable: string) {
	return { dataTableId: { __rl: true, mode: 'list', value: dataTable } };
}

/** The same for the nodes of `sites-in-a-data-table`. */
export function sitesTable(dataTable: string) {
	return { 'Save Sites': chosen(dataTable), 'Mark Gone Sites': chosen(dataTable) };
}
