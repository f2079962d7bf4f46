import path from 'node:path';
import type { ICruiseResult, IDependency } from 'dependency-cruiser';
import manifest from '../../package.json';
import { run } from '../../testbed/command';
import { Page, ROOT } from './pages';

/** Each folder may import only from those above it. */
const FOLDERS = new Page('docs/architecture.md').rowsOf('Folder').map(([folder = '']) => folder);

const folderOf = (file: string) =>
	[path.posix.dirname(file), file.split('/')[0] ?? ''].find((folder) => FOLDERS.includes(folder));

let imports: Map<string, IDependency[]>;

beforeAll(async () => {
	const roots = new Set(FOLDERS.map((folder) => folder.split('/')[0] ?? ''));
	const options =
		'--no-config --ts-pre-compilation-deps --do-not-follow node_modules --output-type json';
	const depcruise = path.join(ROOT, 'node_modules/.bin/depcruise');
	const printed = await run(depcruise, [...options.split(' '), ...roots], {
		cwd: ROOT,
		quiet: true,
	});
	const { modules } = JSON.parse(printed) as ICruiseResult;
	const own = modules.filter(({ source }) => folderOf(source) !== undefined);
	imports = new Map(own.map(({ source, dependencies }) => [source, dependencies]));
}, 300_000);

const importsThat = (isWrong: (file: string, dependency: IDependency) => boolean) =>
	[...imports].flatMap(([file, dependencies]) =>
		dependencies
			.filter((dependency) => isWrong(file, dependency))
			.map(({ resolved }) => `${file} imports ${resolved}`),
	);

it('imports follow the order of folders in docs/architecture.md, without cycles', () => {
	const placeOf = (file: string) => FOLDERS.indexOf(folderOf(file) ?? '');
	const wrong = importsThat((file, { resolved, circular }) => {
		return circular || (imports.has(resolved) && placeOf(resolved) > placeOf(file));
	});

	expect(wrong).toEqual([]);
	expect(new Set([...imports.keys()].map(folderOf))).toEqual(new Set(FOLDERS));
});

it('messages and service do not import n8n, and only service/zod.ts imports zod', () => {
	const wrong = importsThat((file, { module }) => {
		const [name] = module.split('/');
		if (name === 'zod') return file !== 'nodes/Aquaculture/service/zod.ts';
		return name === 'n8n-workflow' && /^nodes\/Aquaculture\/(messages|service)\//.test(file);
	});

	expect(wrong).toEqual([]);
});

it('loading the nodes does not load the code that runs them', () => {
	const { credentials, nodes } = manifest.n8n;
	const loaded = new Set(
		[...credentials, ...nodes].map((file) => file.replace(/^dist\/(.*)\.js$/, '$1.ts')),
	);
	// The loop also visits files that it adds.
	for (const file of loaded) {
		const needed = (imports.get(file) ?? []).filter(
			({ dynamic, dependencyTypes }) => !dynamic && !dependencyTypes.includes('type-only'),
		);
		for (const { resolved } of needed) loaded.add(resolved);
	}

	expect(loaded).toContain('nodes/Aquaculture/operations/siteOperation.ts');
	expect([...loaded]).not.toContainEqual(
		expect.stringMatching(/\/service\/zod|\/sending\/credentialHooks|\/(execute|poll|client)\.ts$/),
	);
});
