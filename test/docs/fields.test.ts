import { createRequire } from 'node:module';
import path from 'node:path';
import type { ICredentialType, INodeProperties, INodeType } from 'n8n-workflow';
import manifest from '../../package.json';
import { PAGES, plainText, ROOT } from './pages';

/** The classes of the built package, as n8n loads them. */
function built<T>(files: readonly string[]): T[] {
	const load = createRequire(__filename);
	return files.flatMap((file) =>
		Object.values(load(path.join(ROOT, file)) as Record<string, new () => T>).map(
			(Class) => new Class(),
		),
	);
}

const nodes = built<INodeType>(manifest.n8n.nodes).flatMap(
	({ description }) => description.properties,
);
const credentials = built<ICredentialType>(manifest.n8n.credentials).flatMap(
	({ properties }) => properties,
);

const isCollection = ({ type }: INodeProperties) => type === 'collection';
const isChoice = ({ name }: INodeProperties) => name === 'operation';
const isShown = ({ type }: INodeProperties) => !['hidden', 'notice'].includes(type);
const labelsOf = (properties: INodeProperties[]) => [
	...new Set(properties.filter(isShown).map(({ displayName }) => displayName)),
];

/** n8n adds it to every credential (n8n 1.123 and 2.40). */
const ADDED_BY_N8N = 'Allowed HTTP Request Domains';

const there = {
	Operation: nodes.filter(isChoice).flatMap(({ options = [] }) => options.map(({ name }) => name)),
	Field: [
		...labelsOf(nodes.filter((property) => !isCollection(property) && !isChoice(property))),
		...labelsOf(credentials),
		ADDED_BY_N8N,
	],
	Option: labelsOf(
		nodes.filter(isCollection).flatMap(({ options }) => options as INodeProperties[]),
	),
};

/** The names in the first column of all tables with this heading; a cell may hold several. */
const documented = (heading: string) =>
	PAGES.flatMap((page) => page.tablesOf(heading)).flatMap(({ rows }) =>
		rows.flatMap(([cell]) => plainText(cell ?? {}).split(', ')),
	);

describe.each(Object.entries(there))('each %s', (heading, labels) => {
	it('that the package has is in a table of the documentation', () => {
		const absent = labels.filter((label) => !documented(heading).includes(label));
		expect(absent.map((label) => `"${label}" is in no table that begins with ${heading}`)).toEqual(
			[],
		);
	});

	it('in a table of the documentation is one that the package has', () => {
		const unknown = documented(heading).filter((label) => !labels.includes(label));
		expect(unknown.map((label) => `the package has no ${heading} "${label}"`)).toEqual([]);
	});
});
