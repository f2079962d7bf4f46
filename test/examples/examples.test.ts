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

/** Loads an example, and returns its text, too. */
function load(file: string): IWorkflowBase & { text: string } {
	const text = readFileSync(path.join(EXAMPLES, file), 'utf8');
	return { ...(JSON.parse(text) as IWorkflowBase), text };
}

it('the README of the examples links to each of them', () => {
	const readme = readFileSync(path.join(EXAMPLES, 'README.md'), 'utf8');
	const raw = `${manifest.homepage.replace('github.com', 'raw.githubusercontent.com')}/main/examples/`;
	const isLinked = (file: string) =>
		readme.includes(`[\`${file}\`](${file}) ([raw](${raw}${file}))`);

	expect(FILES.filter((file) => !isLinked(file))).toEqual([]);
});

it.each(['sites-in-a-data-table.json', 'log-of-changes.json'])(
	'the example %s writes only columns of its table, and writes again if that fails',
	(file) => {
		const { nodes, text } = load(file);
		const [, columns = ''] = /```\\n([\w,]+)\\n/.exec(text) ?? [];
		const { parameters } = nodes.find((node) => node.name === 'Table Columns') as INode;
		const { include, includeFields, assignments } = parameters as unknown as TableColumns;

		// A later version of the package may add columns.
		expect(include).toBe('selected');
		const added = (assignments?.assignments ?? []).map((each) => each.name);
		expect([...includeFields.split(', '), ...added]).toEqual(columns.split(','));
		// n8n 1.123 with SQLite fails if two writes meet: "Transaction is not started yet".
		const writing = nodes.filter(({ type }) => type === 'n8n-nodes-base.dataTable');
		expect(writing.map(({ retryOnFail }) => retryOnFail)).toEqual(writing.map(() => true));
		expect(writing).not.toEqual([]);
	},
);

it('most examples use this package', () => {
	const uses = FILES.filter((file) => load(file).nodes.some(descriptionOf));

	expect(uses.length).toBeGreaterThan(FILES.length / 2);
});

describe.each(FILES)('the example %s', (file) => {
	const { text, nodes, active, pinData } = load(file);

	it('is switched off, and has no data and no secrets', () => {
		expect({ active, pinData }).toEqual({ active: false, pinData: {} });
		const secret = /"\w*(password|token|secret)\w*":|@(?!example\.com)[a-z]+\./gi;
		expect(text.match(secret)).toBeNull();
		const credentials = nodes.flatMap((node) => Object.values(node.credentials ?? {}));
		expect(credentials.map(Object.keys)).toEqual(credentials.map(() => ['id', 'name']));
	});

	it('colours no text without its background, which is dark in the dark mode of an email program', () => {
		const styles = text.match(/(?<=style=\\")[^"\\]*/g) ?? [];
		const coloured = styles.filter((style) => /(?<!-)color:/.test(style));

		expect(coloured.filter((style) => !style.includes('background'))).toEqual([]);
	});

	it('has no notes that cover a step or another note', () => {
		const boxes = nodes.map(boxOf);
		const covered = boxes
			.filter(({ isNote }) => isNote)
			.flatMap((note) => boxes.filter((box) => box !== note && overlaps(note, box)));

		expect(covered.map(({ name }) => name)).toEqual([]);
	});

	it('fills in all required fields of this package, and no others', () => {
		for (const node of nodes) {
			const description = descriptionOf(node);
			if (!description) continue;
			// n8n adds the field for poll times.
			const { pollTimes, ...parameters } = node.parameters;
			const own = { ...node, parameters };
			const found = {
				node: node.name,
				unknown: unknownParameters(own, description),
				issues: NodeHelpers.getNodeParametersIssues(description.properties, own, description),
				polls: pollTimes !== undefined,
			};

			const polls = description.polling === true;
			expect(found).toEqual({ node: node.name, unknown: [], issues: null, polls });
		}
	});
});
