import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ICruiseResult } from 'dependency-cruiser';
import { run } from '../../testbed/command';
import { Page, plainText, ROOT } from './pages';

/** What is published, and what the emulator shares with it. */
const CHECKED = ['account', 'service', 'texts', 'credentials', 'nodes', 'emulator'];
/** Those that may use all of them. */
const USERS = ['testbed', 'scripts', 'test'];

async function cruise(): Promise<ICruiseResult> {
	const rules = path.join(__dirname, 'dependencyRules.json');
	const printed = await run(
		path.join(ROOT, 'node_modules/.bin/depcruise'),
		['--config', rules, '--output-type', 'json', ...CHECKED, ...USERS],
		{ cwd: ROOT, quiet: true },
	);
	return JSON.parse(printed) as ICruiseResult;
}

/** The folders of the table, each of which uses only those above it. */
const [table] = new Page('docs/architecture.md').tablesOf('Folder');
const FOLDERS = (table?.rows ?? []).map(([cell]) => plainText(cell ?? {}));

let report: ICruiseResult;

beforeAll(async () => {
	report = await cruise();
}, 120_000);

const isChecked = (file: string) =>
	file.endsWith('.ts') && CHECKED.includes(file.split('/')[0] ?? '');
const isPublished = (file: string) => isChecked(file) && !file.startsWith('emulator/');

it('docs/architecture.md names every folder that is published, and no others', () => {
	const folders = report.modules.map(({ source }) => source).filter(isPublished);

	expect([...FOLDERS].sort()).toEqual([...new Set(folders.map(path.posix.dirname))].sort());
});

it('what is published uses only the folders above it in the table of docs/architecture.md', () => {
	const placeOf = (file: string) => FOLDERS.indexOf(path.posix.dirname(file));
	const upwards = report.modules
		.filter(({ source }) => isPublished(source))
		.flatMap(({ source, dependencies }) =>
			dependencies
				.filter(({ resolved }) => isPublished(resolved) && placeOf(resolved) > placeOf(source))
				.map(({ resolved }) => `${source} imports ${resolved}`),
		);

	expect(upwards).toEqual([]);
});

it('every import keeps to the rules for dependencies', () => {
	const { violations } = report.summary;

	expect(violations.map(({ rule, from, to }) => `${rule.name}: ${from} imports ${to}`)).toEqual([]);
});

it("no other folder than these touches n8n's request helpers", async () => {
	const touching = new Set<string>();
	for (const { source } of report.modules.filter(({ source }) => isChecked(source))) {
		const text = await readFile(path.join(ROOT, source), 'utf8');
		if (/\bhelpers\b|httpRequest/.test(text)) touching.add(path.posix.dirname(source));
	}

	expect([...touching].sort()).toEqual([
		'credentials',
		'credentials/token',
		'nodes/Aquaculture/requests',
	]);
});
