import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { DEMO_ACCOUNT, UNLIMITED, type Emulator } from '../../emulator/server';
import type * as Items from '../../nodes/Aquaculture/trigger/changeItem';
import { run } from '../../testbed/command';
import { Engine } from '../../testbed/engine/engine';
import { NODE, buildWorkflow } from '../../testbed/engine/harness';
import { Page, ROOT, type CodeBlock } from './pages';

// Compiles and builds a copy of the package.
jest.setTimeout(300_000);

const FOLDERS = ['credentials', 'emulator', 'icons', 'nodes'];
const FILES = ['scripts/notice.ts', 'gulpfile.js', 'index.js', 'package.json'];

let copy: string;

/** Applies a block of the page to the copy: a new file or a diff. */
async function apply({ language, text, announced = '' }: CodeBlock) {
	const file = path.join(copy, announced);
	if (language === 'ts') return await writeFile(file, `${text}\n`, { flag: 'wx' });
	const linesOf = (marks: string) =>
		text
			.split('\n')
			.filter(([mark = '']) => marks.includes(mark))
			.map((line) => `${line.slice(1)}\n`)
			.join('');
	const parts = (await readFile(file, 'utf8')).split(linesOf('- '));
	if (parts.length !== 2) throw new Error(`Not once in ${announced}: ${text}`);
	await writeFile(file, parts.join(linesOf('+ ')));
}

beforeAll(async () => {
	copy = await mkdtemp(path.join(tmpdir(), 'endpoint-'));
	for (const name of [...FOLDERS, ...FILES]) {
		await cp(path.join(ROOT, name), path.join(copy, name), { recursive: true });
	}
	await symlink(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
	const settings = { extends: path.join(ROOT, 'tsconfig.json'), include: FOLDERS };
	await writeFile(path.join(copy, 'tsconfig.json'), JSON.stringify(settings));
	for (const block of new Page('docs/add-an-endpoint.md').blocks) await apply(block);
});
afterAll(async () => await rm(copy, { recursive: true }));

const inCopy = async (program: string, ...parameters: string[]) =>
	await run(path.join(ROOT, 'node_modules/.bin', program), parameters, { cwd: copy, quiet: true });

it('the code of docs/add-an-endpoint.md compiles', async () => {
	await expect(inCopy('tsc')).resolves.toBe('');
});

it('the code of docs/add-an-endpoint.md reads the new endpoint and field', async () => {
	await inCopy('tsx', path.join(ROOT, 'node_modules/gulp/bin/gulp.js'), 'build');
	const load = async (file: string) => (await import(path.join(copy, file))) as unknown;
	const server = (await load('emulator/server.ts')) as { Emulator: typeof Emulator };
	const emulator = await server.Emulator.start(UNLIMITED);
	const engine = await Engine.load(copy);
	engine.credentials.stored.set('account', { baseUrl: emulator.baseUrl, ...DEMO_ACCOUNT });
	const read = async (parameters: IDataObject) => {
		const workflow = buildWorkflow(parameters, { onError: 'continueRegularOutput' });
		const { data } = await engine.run(workflow, { items: [{ json: {} }] });
		return data.resultData.runData[NODE]?.[0]?.data?.main?.[0]?.map(({ json }) => json) ?? [];
	};
	const biomass = { operation: 'getBiomass', siteIds: '1001, 4040' };
	const readAs = async (body: unknown, parameters: IDataObject) => {
		emulator.fail({ route: 'site', fault: { kind: 'body', body: JSON.stringify(body) }, times: 1 });
		return (await read({ ...parameters, siteIds: '1001' }))[0];
	};

	const [known, unknown] = await read(biomass);
	expect(known).toEqual({ siteId: 1001, biomass: 1840 });
	expect(unknown?.error).toBe('The service does not know the biomass of site 4040');
	const answer = 'The answer for the biomass of site 1001 cannot be used';
	const otherSite = await readAs({ siteId: 9 }, biomass);
	expect(otherSite?.error).toBe(`${answer}: it is about site 9`);
	const noBiomass = await readAs([], biomass);
	expect(noBiomass?.error).toBe(`${answer}: it does not have the form of a biomass`);
	const sites = { operation: 'getManySites', siteIds: '1001' };
	expect(await read(sites)).toMatchObject([{ depth: 40 }]);
	const [unit] = await read({ operation: 'getUnits', siteIds: '1001', includeSiteInfo: true });
	expect(unit).toMatchObject({ siteDepth: 40 });
	expect(await readAs({ info: { depth: 'deep' } }, sites)).toMatchObject({ depth: 'deep' });
	await emulator.stop();

	const { toItem: itemOf } = (await load(
		'nodes/Aquaculture/trigger/changeItem.ts',
	)) as typeof Items;
	const change = { kind: 'infoChanged', field: 'depth', oldValue: 40, newValue: 42 } as const;
	const { summary } = itemOf({ siteId: 1001, site: {}, deviations: [], seenAt: '' }, change, []);
	expect(summary).toBe('Depth of site 1001: 40 → 42');
	for (const [operation, column] of [
		['getBiomass', 'biomass'],
		['getManySites', 'depth'],
	]) {
		const schema = `dist/nodes/Aquaculture/__schema__/v1.0.0/site/${operation}.json`;
		const { properties } = (await load(schema)) as { properties: Record<string, object> };
		expect(properties[column ?? '']).toEqual({ type: 'number' });
	}
});
