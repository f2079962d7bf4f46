import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Fault, Route } from '../../emulator/faults';
import { DEMO_ACCOUNT, type Emulator as OriginalEmulator } from '../../emulator/server';
import { run as runCommand } from '../../testbed/command';
import { workflowWith, NODE } from '../../testbed/engine/rig';
import { Engine } from '../../testbed/engine/engine';
import { PAGES, ROOT, type CodeBlock } from './pages';

const SOURCES = [
	'service',
	'account',
	'texts',
	'credentials',
	'emulator',
	'icons',
	'nodes',
	'scripts/notice.ts',
	'gulpfile.js',
	'index.js',
	'package.json',
];

const blocks = PAGES.flatMap((page) => page.blocks).filter(({ language }) =>
	['ts', 'diff'].includes(language),
);

/** Puts a block of the page into the copy: a whole file, or lines in the place of others. */
async function apply(copy: string, { language, text, announced = '', place }: CodeBlock) {
	const file = path.join(copy, announced);
	if (language === 'ts') return await writeFile(file, `${text}\n`, { flag: 'wx' });
	const linesOf = (marks: string) =>
		text
			.split('\n')
			.filter(([mark = '']) => marks.includes(mark))
			.map((line) => `${line.slice(1)}\n`)
			.join('');
	const content = await readFile(file, 'utf8');
	const parts = content.split(linesOf('- '));
	if (parts.length !== 2) throw new Error(`${place}: not once in ${announced}`);
	await writeFile(file, parts.join(linesOf('+ ')));
}

describe('docs/add-an-endpoint.md', () => {
	let copy: string;

	beforeAll(async () => {
		copy = await mkdtemp(path.join(tmpdir(), 'endpoint-'));
		for (const name of SOURCES) {
			await cp(path.join(ROOT, name), path.join(copy, name), { recursive: true });
		}
		await symlink(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
		const settings = {
			extends: path.join(ROOT, 'tsconfig.json'),
			include: ['account', 'service', 'texts', 'credentials', 'emulator', 'nodes'],
		};
		await writeFile(path.join(copy, 'tsconfig.json'), JSON.stringify(settings));
		for (const block of blocks) await apply(copy, block);
	});
	afterAll(async () => await rm(copy, { recursive: true }));

	const run = async (program: string, ...parameters: string[]) =>
		await runCommand(path.join(ROOT, 'node_modules/.bin', program), parameters, {
			cwd: copy,
			quiet: true,
		});

	it('docs/add-an-endpoint.md has an example whose types are right', async () => {
		expect(blocks).toHaveLength(8);
		await expect(run('tsc')).resolves.toBe('');
	}, 120_000);

	it('docs/add-an-endpoint.md has an example that runs', async () => {
		await run('tsx', path.join(ROOT, 'node_modules/gulp/bin/gulp.js'), 'build');
		const { Emulator } = (await import(path.join(copy, 'emulator/server.ts'))) as {
			Emulator: typeof OriginalEmulator;
		};
		const emulator = await Emulator.start();
		const engine = await Engine.load(copy);
		const { baseUrl } = emulator;
		engine.credentials.stored.set('account', { baseUrl, ...DEMO_ACCOUNT });
		const read = async (...units: Array<number | string>) => {
			const { data } = await engine.run(
				workflowWith(
					{ operation: 'getUnit', unitId: '={{ $json.unit }}' },
					{ onError: 'continueRegularOutput' },
				),
				{ items: units.map((unit) => ({ json: { unit } })) },
			);
			const [output] = data.resultData.runData[NODE]?.[0]?.data?.main ?? [];
			return output?.map(({ json }) => json);
		};
		const answering = async (json: unknown) => {
			const fault: Fault = { kind: 'body', body: JSON.stringify(json) };
			emulator.fail({ route: 'unit' as Route, fault, times: 1 });
			return (await read(10010))?.[0]?.error;
		};

		const outputs = [
			await read(10010, 8, 'A'),
			await answering({ unitId: 9 }),
			await answering({ unitId: 10010, volume: 'large' }),
			await answering([]),
		];
		await emulator.stop();

		expect(outputs).toEqual([
			[
				{ unitId: 10010, unitName: 'Merd 1', volume: 31_400 },
				{
					error: 'The service does not know unit 8',
					unitId: 8,
					description: expect.stringMatching(/^Check the unit ID\./) as unknown,
					httpCode: '404',
				},
				{
					error: `'Unit ID' is not a whole number: "A"`,
					unitId: null,
					description: expect.stringContaining("'Unit ID'") as unknown,
					httpCode: null,
				},
			],
			'The answer for unit 10010 cannot be used: it is about another unit',
			"The answer for unit 10010 cannot be used: 'volume' is not a number",
			'The answer for unit 10010 cannot be used: it does not have the form of a unit',
		]);
		const schema = 'dist/nodes/Aquaculture/__schema__/v1.0.0/getUnit.json';
		expect(JSON.parse(await readFile(path.join(copy, schema), 'utf8'))).toMatchObject({
			properties: { volume: { type: 'number' } },
		});
	}, 120_000);
});
