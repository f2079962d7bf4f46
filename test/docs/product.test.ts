import { createRequire } from 'node:module';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { ICredentialType, INodeProperties, INodeType } from 'n8n-workflow';
import manifest from '../../package.json';
import { TRIGGER_MESSAGES } from '../../nodes/Aquaculture/messages/trigger';
import {
	BODY_FAILURES,
	helperFailed,
	timedOut,
} from '../../nodes/Aquaculture/service/requestFailures';
import { explainFailedDocument } from '../../nodes/Aquaculture/service/statusFailures';
import { LOGIN, documentSubject } from '../../nodes/Aquaculture/messages/failure';
import { OUTPUTS } from '../outputs';
import { Page, PAGES, read, ROOT } from './pages';

/** Instantiates the classes of the built package. */
const built = <T>(files: readonly string[]) =>
	files.flatMap((file) => {
		const classes = createRequire(__filename)(path.join(ROOT, file)) as Record<string, new () => T>;
		return Object.values(classes).map((Class) => new Class());
	});
const nodes = built<INodeType>(manifest.n8n.nodes).flatMap((node) => node.description.properties);
const credential = built<ICredentialType>(manifest.n8n.credentials).flatMap(
	(one) => one.properties,
);

const isField = ({ type, name }: INodeProperties) =>
	!['hidden', 'notice', 'collection'].includes(type) && name !== 'operation';
const optionsOf = (isWanted: (property: INodeProperties) => boolean) =>
	nodes.filter(isWanted).flatMap(({ options = [] }) => options as INodeProperties[]);
const labelOf = ({ displayName }: INodeProperties) => displayName;

it.each([
	['Operation', optionsOf(({ name }) => name === 'operation').map(({ name }) => name)],
	// n8n adds the last one.
	[
		'Field',
		[...[...nodes, ...credential].filter(isField).map(labelOf), 'Allowed HTTP Request Domains'],
	],
	['Option', optionsOf(({ type }) => type === 'collection').map(labelOf)],
])('the pages list every %s and no other', (heading, names) => {
	const rows = PAGES.flatMap((page) => page.rowsOf(heading));

	expect(new Set(rows.flatMap(([cell = '']) => cell.split(', ')))).toEqual(new Set(names));
});

/** Lists all field names in order, those of objects and lists before their content. */
function columnsOf(shape: unknown): string[] {
	if (typeof shape !== 'object' || shape === null) return [];
	if (Array.isArray(shape)) return columnsOf(shape[0]);
	return Object.entries(shape).flatMap(([column, inner]) => [column, ...columnsOf(inner)]);
}
const of = (output: keyof typeof OUTPUTS) => columnsOf(OUTPUTS[output]);
const UNITS = of('Get Units');
const COLUMNS: Record<string, string[]> = {
	'A site with Simplify': of('Get Site, Get Many Sites: Simplify on'),
	'A site without Simplify': of('Get Site, Get Many Sites: Simplify off'),
	'The same with Include Response Details': ['statusCode', 'headers', 'body'],
	'Get Units': UNITS,
	// The page lists only the added columns.
	'Get Units with Include Site Info': of('Get Units: Include Site Info').slice(UNITS.length),
	'A failed item with Continue': of('Failed item'),
	'A failed item on the Error Branch': of('Failed item on the error branch'),
	'Aquaculture Trigger': of('Aquaculture Trigger'),
};

it('docs/node.md lists the columns of test/outputs.ts', () => {
	const { tables } = new Page('docs/node.md');
	const rows = tables.find(({ header }) => header[0]?.text === 'Output')?.rows ?? [];
	const said = rows.map(([output, columns]) => [
		output?.text.replace(/^\[(.*)\].*$/, '$1'),
		columns?.text.match(/(?<=`)\w+(?=`)/g),
	]);

	expect(Object.fromEntries(said)).toEqual(COLUMNS);
});

it('the JSON samples in the documentation have the columns of an output', () => {
	const json = PAGES.flatMap((page) => page.blocks).filter(({ language }) => language === 'json');
	const shown = json.filter(({ text }) => !text.includes('mcpServers'));
	const columns = shown.map(({ text }) => columnsOf(JSON.parse(text)).join());

	expect(columns.length).toBeGreaterThan(1);
	expect(Object.values(COLUMNS).map(String)).toEqual(expect.arrayContaining(columns));
});

const SITE = documentSubject('site 1001');
const COMPOSED = [
	BODY_FAILURES.html(LOGIN),
	explainFailedDocument({ statusCode: 401, headers: {} }, undefined, SITE, String),
	helperFailed(SITE, []),
	timedOut(SITE, 30_000),
	TRIGGER_MESSAGES.skippedLines([{ line: 3, text: 'Nordvik' }]),
];
const FILES = ['messages', 'service', 'limit'].flatMap((room) =>
	readdirSync(path.join(ROOT, `nodes/Aquaculture/${room}`)).map((file) => `${room}/${file}`),
);
const TEXTS = [
	...FILES.map((file) => read(`nodes/Aquaculture/${file}`)),
	JSON.stringify(COMPOSED),
].join('\n');

it('messages name the options of the node as the panel does', () => {
	const named = [...TEXTS.matchAll(/'([^'\n]+)' under Options/g)].map(([, name]) => name);
	const options = optionsOf(({ type }) => type === 'collection').map(labelOf);

	expect(options).toEqual(expect.arrayContaining(named));
	expect(new Set(named).size).toBe(3);
});

const OF_N8N = /^(Unrecognized node type|No testing function found|Do not save)/;

it.each([
	['troubleshooting', 5],
	['administrators', 3],
])('docs/%s.md quotes messages literally', (name, least) => {
	const prose = read(`docs/${name}.md`).replaceAll(/!\[.*?\]\(.*?\)|```.*?```/gs, '');
	const quotes = [...prose.matchAll(/"((?:_"[^"]*"_|[^"\n])+)"/g)]
		.map(([, quote = '']) => quote)
		.filter((quote) => quote.split(' ').length > 2 && !OF_N8N.test(quote));
	const wrong = quotes
		.flatMap((quote) => quote.split(/_[^_]+_|…/))
		.map((part) => part.replace(/^[\s',:]+|[\s',:]+$/g, ''))
		.filter((part) => !TEXTS.includes(part));

	expect(quotes.length).toBeGreaterThanOrEqual(least);
	expect(wrong).toEqual([]);
});
