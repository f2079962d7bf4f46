import path from 'node:path';
import type { ICruiseResult, IDependency } from 'dependency-cruiser';
import manifest from '../../package.json';
import { run } from '../../testbed/command';
import { Page, plainText, ROOT } from './pages';

/** The folders of the table, each of which uses only those above it. */
const FOLDERS = new Page('docs/architecture.md')
	.tablesOf('Folder')
	.flatMap(({ rows }) => rows.map(([cell]) => plainText(cell ?? {})));

const folderOf = (file: string) =>
	[path.posix.dirname(file), file.split('/')[0] ?? ''].find((folder) => FOLDERS.includes(folder));

let imports: Map<string, IDependency[]>;

beforeAll(async () => {
	const printed = await run(
		path.join(ROOT, 'node_modules/.bin/depcruise'),
		[
			...['--no-config', '--ts-pre-compilation-deps', '--do-not-follow', 'node_modules'],
			...['--output-type', 'json', ...new Set(FOLDERS.map((folder) => folder.split('/')[0] ?? ''))],
		],
		{ cwd: ROOT, quiet: true },
	);
	const { modules } = JSON.parse(printed) as ICruiseResult;
	const own = modules.filter(({ source }) => folderOf(source) !== undefined);
	imports = new Map(own.map(({ source, dependencies }) => [source, dependencies]));
}, 120_000);

/** Imports that are not as they are to be. */
const importsThat = (isWrong: (file: string, dependency: IDependency) => boolean) =>
	[...imports].flatMap(([file, dependencies]) =>
		dependencies
			.filter((dependency) => isWrong(file, dependency))
			.map(({ resolved }) => `${file} imports ${resolved}`),
	);

it('a folder uses only those above it in the table of docs/architecture.md, which names them all', () => {
	const placeOf = (file: string) => FOLDERS.indexOf(folderOf(file) ?? '');

	expect(new Set([...imports.keys()].map(folderOf))).toEqual(new Set(FOLDERS));
	expect(
		importsThat((file, { resolved }) => imports.has(resolved) && placeOf(resolved) > placeOf(file)),
	).toEqual([]);
});

it('no import leads back to its file, types included', () => {
	expect(importsThat((_file, { circular }) => circular)).toEqual([]);
});

it('texts and service do not know n8n, and zod is used by way of service/zod.ts', () => {
	const isOf = (name: string, { module }: IDependency) => module.split('/')[0] === name;

	expect(
		importsThat((file, imported) => {
			if (isOf('zod', imported)) return file !== 'service/zod.ts';
			return /^(texts|service)\//.test(file) && isOf('n8n-workflow', imported);
		}),
	).toEqual([]);
});

it("n8n's start loads nothing of what runs", () => {
	const { credentials, nodes } = manifest.n8n;
	const loaded = new Set(
		[...credentials, ...nodes].map((file) => file.replace(/^dist\/(.*)\.js$/, '$1.ts')),
	);
	// Those that are added meanwhile are visited too.
	for (const file of loaded) {
		const needed = (imports.get(file) ?? []).filter(
			({ dynamic, dependencyTypes }) => !dynamic && !dependencyTypes.includes('type-only'),
		);
		for (const { resolved } of needed) loaded.add(resolved);
	}

	expect(loaded).toContain('nodes/Aquaculture/operations/getSites.ts');
	expect([...loaded]).not.toContainEqual(
		expect.stringMatching(/^service\/zod|^account\/signing|\/(run|poll|client)\.ts$/),
	);
});
