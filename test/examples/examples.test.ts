import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import GithubSlugger from 'github-slugger';
import {
	NodeHelpers,
	type IConnections,
	type INode,
	type INodeProperties,
	type INodePropertyCollection,
	type INodeTypeDescription,
	type IWorkflowSettings,
} from 'n8n-workflow';
import manifest from '../../package.json';
import { Aquaculture } from '../../nodes/Aquaculture/Aquaculture.node';
import { AquacultureTrigger } from '../../nodes/Aquaculture/AquacultureTrigger.node';

const EXAMPLES = path.resolve(__dirname, '../../examples');
const OWN = 'n8n-nodes-aquaculture.';
const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
const MCP_TRIGGER = '@n8n/n8n-nodes-langchain.mcpTrigger';
const TOOL_FIELDS = ['descriptionType', 'toolDescription'].map(
	(name): INodeProperties => ({ displayName: name, name, type: 'string', default: '' }),
);
const OWN_NODES = [new Aquaculture(), new AquacultureTrigger()];
const CREDENTIAL_TYPES = ['aquacultureApi', 'httpBasicAuth', 'httpBearerAuth', 'postgres', 'smtp'];
/** A step on the canvas, and what stands below it, in pixels. */
const STEP = { width: 96, height: 96, label: 64 };

interface Example {
	name: string;
	active: boolean;
	pinData: object;
	nodes: INode[];
	connections: IConnections;
	settings: IWorkflowSettings;
}

interface Box {
	name: string;
	left: number;
	top: number;
	right: number;
	bottom: number;
}

const readme = readFileSync(path.join(EXAMPLES, 'README.md'), 'utf8');
const files = readdirSync(EXAMPLES).filter((file) => file.endsWith('.json'));
const isNote = ({ type }: INode) => type === STICKY_NOTE;

function fullDescription({ type }: INode): INodeTypeDescription | undefined {
	const description = OWN_NODES.find(({ description: { name } }) =>
		[OWN + name, `${OWN + name}Tool`].includes(type),
	)?.description;
	// n8n makes a type of its own for tools, with these two fields.
	return description && type.endsWith('Tool')
		? { ...description, properties: [...TOOL_FIELDS, ...description.properties] }
		: description;
}

function boxOf(node: INode): Box {
	const [left, top] = node.position;
	const { width, height } = isNote(node)
		? (node.parameters as { width: number; height: number })
		: { ...STEP, height: STEP.height + STEP.label };
	return { name: node.name, left, top, right: left + width, bottom: top + height };
}

/** About how high a sticky note must be for its text, in pixels (n8n 1.123, whose paragraphs are further apart than those of 2.40). */
function heightOf(content: string, width: number): number {
	const characters = (width - 32) / 6.8;
	const heights = content.split('\n').map((line) => {
		if (line === '') return 20;
		if (line.startsWith('#')) return line.startsWith('## ') ? 30 : 24;
		const text = line.replace(/\*\*|`|^- /g, '');
		return 19 * Math.ceil(text.length / (line.startsWith('- ') ? characters - 3 : characters));
	});
	return heights.reduce((sum, height) => sum + height, 12);
}

function overlap(one: Box, other: Box): boolean {
	return (
		one.left < other.right &&
		other.left < one.right &&
		one.top < other.bottom &&
		other.top < one.bottom
	);
}

/** Parameters that the description of a node does not show, in collections too. */
function unknownParameters(node: INode, description: INodeTypeDescription): string[] {
	const { properties } = description;
	const whole = NodeHelpers.getNodeParameters(
		...([properties, node.parameters, true, false, node, description] as const),
	);
	const shown = properties.filter((property) =>
		NodeHelpers.displayParameter(whole ?? {}, property, node, description),
	);
	const optionsOf = (collection: INodeProperties | undefined) =>
		(collection?.options ?? []) as Array<INodeProperties | INodePropertyCollection>;
	return Object.entries(node.parameters).flatMap(([name, value]) => {
		const property = shown.find((candidate) => candidate.name === name);
		if (!property) return [name];
		if (property.type !== 'collection') return [];
		const known = optionsOf(property).map((option) => option.name);
		return Object.keys(value as object).filter((option) => !known.includes(option));
	});
}

describe('the examples', () => {
	it('are listed in their README, and nothing else is', () => {
		const linked = [...readme.matchAll(/^\[`(.+\.json)`\]\((.+?)\) \(\[raw\]\((.+?)\)\)/gm)];
		const { homepage } = manifest;
		const raw = `${homepage.replace('github.com', 'raw.githubusercontent.com')}/main/examples/`;

		expect(linked.map(([, text]) => text).sort()).toEqual(files);
		for (const [, text, target, download] of linked) {
			expect([target, download]).toEqual([text, `${raw}${text}`]);
		}
	});

	describe.each(files)('%s', (file) => {
		const text = readFileSync(path.join(EXAMPLES, file), 'utf8');
		const example = JSON.parse(text) as Example;
		const steps = example.nodes.filter((node) => !isNote(node));
		const notes = example.nodes.filter(isNote);
		const texts = notes.map(({ parameters }) => String(parameters.content)).join('\n');

		it('has the same title everywhere, and a section with its picture in the README', () => {
			const slug = new GithubSlugger().slug(example.name);
			const section = readme.split(/^## /m).find((part) => part.startsWith(`${example.name}\n`));
			const picture = `docs/images/example-${slug}.png`;

			expect(file).toBe(`${slug}.json`);
			expect(notes[0]?.parameters.content).toMatch(new RegExp(`^## ${example.name}\n`));
			expect(readme).toContain(`| [${example.name}](#${slug}) `);
			for (const part of [`(${file})`, `(../${picture})`, '**Fill in**', '**What comes out**']) {
				expect(section).toContain(part);
			}
			expect(section).toMatch(/\*\*Variations\*\*|operator/);
			expect(existsSync(path.resolve(EXAMPLES, '..', picture))).toBe(true);
		});

		it('is switched off, and holds neither data nor secrets', () => {
			expect(example.active).toBe(false);
			expect(example.pinData).toEqual({});
			expect(text).not.toMatch(/"\w*(password|token|secret)\w*":|@(?!example\.com)[a-z]+\./i);
			for (const { credentials = {} } of example.nodes) {
				for (const [type, credential] of Object.entries(credentials)) {
					expect(CREDENTIAL_TYPES).toContain(type);
					expect(Object.keys(credential)).toEqual(['id', 'name']);
				}
			}
		});

		it('consists of steps of n8n and of this package, each with a name and an ID of its own', () => {
			for (const node of steps) {
				if (fullDescription(node) || node.type === MCP_TRIGGER) continue;
				expect(node.type).toMatch(/^n8n-nodes-base\.[a-zA-Z]+$/);
			}
			expect(new Set(example.nodes.map(({ name }) => name)).size).toBe(example.nodes.length);
			expect(new Set(example.nodes.map(({ id }) => id)).size).toBe(example.nodes.length);
		});

		it('runs at the hours of a time zone that it names, and says who is told if that fails', () => {
			const isAlone = steps.some(({ type }) =>
				/\.(scheduleTrigger|aquacultureTrigger)$/.test(type),
			);

			expect(example.settings.timezone).toBe(isAlone ? 'Europe/Oslo' : undefined);
			if (!isAlone) return;
			expect(texts).toMatch(/Europe\/Oslo[^]*\*\*Timezone\*\*/);
			// n8n 2 publishes the settings with the workflow.
			expect(texts).toMatch(/\*\*Error Workflow\*\*[^]*\*\*Publish\*\*[^]*\*\*Unpublish\*\*/);
		});

		it('numbers its notes from left to right', () => {
			const numbers = [...notes]
				.sort((one, other) => one.position[0] - other.position[0])
				.flatMap(({ parameters }) => /^### (\d)\. /.exec(String(parameters.content))?.[1] ?? [])
				.map(Number);

			expect(numbers).toEqual(numbers.map((_number, index) => index + 1));
		});

		it('leaves the addresses of mails to be filled in, and says how to reach a mail server', () => {
			for (const { parameters } of steps.filter(({ type }) => type.endsWith('.emailSend'))) {
				expect([parameters.fromEmail, parameters.toEmail]).toEqual(['', '']);
				expect(texts).toContain('**SSL/TLS** is off for port 587 and on for port 465');
			}
		});

		it('asks for a login if a form or a webhook starts it, and for a token if an assistant does', () => {
			for (const { type, parameters, credentials } of steps) {
				if (!/\.(formTrigger|webhook|mcpTrigger)$/.test(type)) continue;
				const isAssistant = type === MCP_TRIGGER;
				expect(parameters.authentication).toBe(isAssistant ? 'bearerAuth' : 'basicAuth');
				expect(Object.keys(credentials ?? {})).toEqual([
					isAssistant ? 'httpBearerAuth' : 'httpBasicAuth',
				]);
			}
		});

		it('has tools with descriptions of their own, whose calls do not wait for the account', () => {
			for (const { type, parameters } of steps) {
				if (!type.endsWith('Tool')) continue;
				expect(parameters).toMatchObject({ descriptionType: 'manual', options: { maxWait: 0 } });
				expect(parameters.toolDescription).toMatch(/ Give .+ Returns .+ when to ask again\.$/);
			}
		});

		it('connects all of its steps', () => {
			const names = steps.map(({ name }) => name);
			const targetsOf = (type: 'main' | 'ai_tool') =>
				Object.values(example.connections).flatMap((outputs) =>
					(outputs[type] ?? []).flatMap((output) => output ?? []).map(({ node }) => node),
				);
			const tools = steps.filter(({ type }) => type.endsWith('Tool')).map(({ name }) => name);
			const [first, ...rest] = names.filter((name) => !tools.includes(name));

			expect(new Set(targetsOf('main'))).toEqual(new Set(rest));
			expect(targetsOf('ai_tool')).toEqual(tools.map(() => first));
			for (const from of Object.keys(example.connections)) expect(names).toContain(from);
			expect(Object.keys(example.connections)).toEqual(
				expect.arrayContaining(tools.length > 0 ? tools : [first]),
			);
		});

		it('sets only what the nodes of this package have, completely', () => {
			for (const node of steps) {
				const description = fullDescription(node);
				if (!description) continue;
				const { pollTimes, ...parameters } = node.parameters;
				const own = { ...node, parameters };

				expect(unknownParameters(own, description)).toEqual([]);
				expect(pollTimes === undefined).toBe(!description.polling);
				expect(
					NodeHelpers.getNodeParametersIssues(description.properties, own, description),
				).toBeNull();
			}
		});

		it('has notes that say what to fill in, below the steps that they name', () => {
			const wanted = steps.filter(({ credentials }) => credentials).map(({ name }) => name);

			expect(notes[0]?.parameters.content).toMatch(/^## /);
			expect(notes.length).toBeGreaterThan(1);
			for (const name of wanted) expect(texts).toContain(`Open **${name}**`);
			for (const note of notes) {
				const { left, right, bottom } = boxOf(note);
				const { content, width, height } = note.parameters as Record<'width' | 'height', number> & {
					content: string;
				};
				for (const [, name] of content.matchAll(/\b[Oo]pen \*\*(.+?)\*\*/g)) {
					const [x = NaN, y = NaN] = steps.find((node) => node.name === name)?.position ?? [];
					const middle = x + STEP.width / 2;
					expect([name, middle > left, middle < right, y > bottom]).toEqual([
						name,
						true,
						true,
						true,
					]);
				}
				expect([content, height >= heightOf(content, width)]).toEqual([content, true]);
			}
		});

		it('has room for all steps and notes', () => {
			const boxes = example.nodes.map(boxOf);
			const pairs = boxes.flatMap((one, index) =>
				boxes.slice(index + 1).map((other) => [one, other] as const),
			);

			expect(
				pairs
					.filter(([one, other]) => overlap(one, other))
					.map(([one, other]) => `${one.name} and ${other.name}`),
			).toEqual([]);
		});
	});

	it('publish the workflow that mails failures after its email step is filled in, and in n8n 2 only', () => {
		const text = readFileSync(path.join(EXAMPLES, 'mail-when-a-workflow-fails.json'), 'utf8');
		const { nodes } = JSON.parse(text) as Example;
		const contents = nodes.filter(isNote).map(({ parameters }) => String(parameters.content));

		expect(contents.find((content) => content.startsWith('### 1.'))).toContain('**Send Email**');
		expect(contents.find((content) => content.startsWith('### 2.'))).toMatch(
			/n8n 2: select \*\*Publish\*\*[^]*n8n 1: save it/,
		);
		expect(contents.find((content) => content.startsWith('### 3.'))).toMatch(
			/\*\*Error Workflow\*\*[^]*publish[^]*\*\*Unpublish\*\*/,
		);
	});
});
