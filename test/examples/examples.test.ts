import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
	NodeHelpers,
	type INode,
	type INodeProperties,
	type INodePropertyCollection,
	type INodeTypeDescription,
	type IWorkflowBase,
} from 'n8n-workflow';
import manifest from '../../package.json';
import { Aquaculture } from '../../nodes/Aquaculture/Aquaculture.node';
import { AquacultureTrigger } from '../../nodes/Aquaculture/AquacultureTrigger.node';

const EXAMPLES = path.resolve(__dirname, '../../examples');
const FILES = readdirSync(EXAMPLES).filter((file) => file.endsWith('.json'));
const OWN_NODES = [new Aquaculture(), new AquacultureTrigger()];
/** n8n adds them to the type that it makes for tools. */
const TOOL_FIELDS = ['descriptionType', 'toolDescription'].map(
	(name): INodeProperties => ({ displayName: name, name, type: 'string', default: '' }),
);

/** Returns undefined for nodes of other packages. @throws Error if this one has no such node. */
function descriptionOf({ type }: INode): INodeTypeDescription | undefined {
	const [own, name] = type.split('.');
	if (own !== manifest.name) return undefined;
	const description = OWN_NODES.map((node) => node.description).find(
		(each) => each.name === name?.replace(/Tool$/, ''),
	);
	if (!description) throw new Error(`There is no node ${type}`);
	if (!type.endsWith('Tool')) return description;
	return { ...description, properties: [...TOOL_FIELDS, ...description.properties] };
}

/** Returns the parameters that the panel of a node does not show, in collections too. */
function unknownParameters(node: INode, description: INodeTypeDescription): string[] {
	const { properties } = description;
	const values = NodeHelpers.getNodeParameters(
		...([properties, node.parameters, true, false, node, description] as const),
	);
	const shown = properties.filter((property) =>
		NodeHelpers.displayParameter(values ?? {}, property, node, description),
	);
	return Object.entries(node.parameters).flatMap(([name, value]) => {
		const property = shown.find((candidate) => candidate.name === name);
		if (!property) return [name];
		if (property.type !== 'collection') return [];
		const options = property.options as Array<INodeProperties | INodePropertyCollection>;
		return Object.keys(value as object).filter((option) =>
			options.every((known) => known.name !== option),
		);
	});
}

interface TableColumns {
	include: string;
	includeFields: string;
	assignments?: { assignments: Array<{ name: string }> };
}

/** The side of a step on the canvas, in pixels. */
const STEP = 96;

interface Box {
	name: string;
	isNote: boolean;
	left: number;
	top: number;
	right: number;
	bottom: number;
}

function boxOf({ name, type, position: [left, top], parameters }: INode): Box {
	const isNote = type.endsWith('.stickyNote');
	const { width, height } = isNote ? parameters : { width: STEP, height: STEP };
	return { name, isNote, left, top, right: left + Number(width), bottom: top + Number(height) };
}

const overlaps = (one: Box, other: Box) =>
	one.left < other.right &&
	other.left < one.right &&
	one.top < other.bottom &&
	other.top < one.bottom;

it('the README of the examples links to each of them', () => {
	const readme = readFileSync(path.join(EXAMPLES, 'README.md'), 'utf8');
	const raw = `${manifest.homepage.replace('github.com', 'raw.githubusercontent.com')}/main/examples/`;

	for (const file of FILES) {
		expect(readme).toContain(`[\`${file}\`](${file}) ([raw](${raw}${file}))`);
	}
});

const WITH_DATA_TABLE = ['sites-in-a-data-table', 'log-of-changes'];

it.each(WITH_DATA_TABLE)(
	'the example %s writes only columns of its table, whatever a later version adds',
	(name) => {
		const text = readFileSync(path.join(EXAMPLES, `${name}.json`), 'utf8');
		const { nodes } = JSON.parse(text) as IWorkflowBase;
		const [, columns = ''] = /```\\n([\w,]+)\\n/.exec(text) ?? [];
		const { parameters } = nodes.find((node) => node.name === 'Table Columns') as INode;
		const { include, includeFields, assignments } = parameters as unknown as TableColumns;

		expect(include).toBe('selected');
		const added = (assignments?.assignments ?? []).map((each) => each.name);
		expect([...includeFields.split(', '), ...added]).toEqual(columns.split(','));
	},
);

// n8n 1.123 with SQLite fails if two writes meet: "Transaction is not started yet".
it.each(WITH_DATA_TABLE)('the example %s writes again if its table fails', (name) => {
	const text = readFileSync(path.join(EXAMPLES, `${name}.json`), 'utf8');
	const { nodes } = JSON.parse(text) as IWorkflowBase;
	const writing = nodes.filter(({ type }) => type === 'n8n-nodes-base.dataTable');

	expect(writing).not.toEqual([]);
	expect(writing.filter(({ retryOnFail }) => !retryOnFail)).toEqual([]);
});

describe.each(FILES)('the example %s', (file) => {
	const text = readFileSync(path.join(EXAMPLES, file), 'utf8');
	const example = JSON.parse(text) as IWorkflowBase;

	it('is switched off, and has no data and no secrets', () => {
		expect(example).toMatchObject({ active: false, pinData: {} });
		expect(text).not.toMatch(/"\w*(password|token|secret)\w*":|@(?!example\.com)[a-z]+\./i);
		for (const { credentials = {} } of example.nodes) {
			for (const credential of Object.values(credentials)) {
				expect(Object.keys(credential)).toEqual(['id', 'name']);
			}
		}
	});

	it('colours no text without its background, which is dark in the dark mode of an email program', () => {
		const styles = text.match(/(?<=style=\\")[^"\\]*/g) ?? [];

		expect(
			styles.filter((style) => /(?<!-)color:/.test(style) && !/background/.test(style)),
		).toEqual([]);
	});

	it('has no notes that cover a step or another note', () => {
		const boxes = example.nodes.map(boxOf);
		const notes = boxes.filter(({ isNote }) => isNote);

		for (const note of notes) {
			const covered = boxes.filter((box) => box !== note && overlaps(note, box));
			expect(covered.map(({ name }) => name)).toEqual([]);
		}
	});

	it('fills in all required fields of this package, and no others', () => {
		for (const node of example.nodes) {
			const description = descriptionOf(node);
			if (!description) continue;
			// n8n adds the field for poll times.
			const { pollTimes, ...parameters } = node.parameters;
			const own = { ...node, parameters };

			expect(unknownParameters(own, description)).toEqual([]);
			expect(pollTimes === undefined).toBe(!description.polling);
			expect(
				NodeHelpers.getNodeParametersIssues(description.properties, own, description),
			).toBeNull();
		}
	});
});
