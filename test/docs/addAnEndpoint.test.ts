import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Fastify from 'fastify';
import { run as runCommand } from '../../testbed/command';
import { workflowWith, NODE } from '../../testbed/engine/rig';
import { Engine } from '../../testbed/engine/engine';
import { PAGES, ROOT, type CodeBlock } from './pages';

const SOURCES = [
	'api',
	'account',
	'http',
	'texts',
	'credentials',
	'icons',
	'nodes',
	'scripts/notice.ts',
	'gulpfile.js',
	'index.js',
	'package.json',
];
const UNIT = { unitId: 7, unitName: 'Pen A', volume: 31_400, net: 'new' };

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

/** The service of which the page tells, as far as the operation needs it. */
async function startService() {
	const server = Fastify();
	server.post('/auth/token', () => ({ access_token: 'a.b.c', expires_in: '60' }));
	server.get<{ Params: { id: string } }>('/meta/units/:id', async ({ params, headers }, reply) => {
		if (headers.authorization !== 'Bearer a.b.c' || params.id === '8') await reply.code(404).send();
		return UNIT;
	});
	return { server, baseUrl: await server.listen({ host: '127.0.0.1', port: 0 }) };
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
			include: ['account', 'api', 'http', 'texts', 'credentials', 'nodes'],
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
		expect(blocks).toHaveLength(5);
		await expect(run('tsc')).resolves.toBe('');
	}, 120_000);

	it('docs/add-an-endpoint.md has an example that runs', async () => {
		await run('tsx', path.join(ROOT, 'node_modules/gulp/bin/gulp.js'), 'build');
		const { server, baseUrl } = await startService();
		const engine = await Engine.load(copy);
		engine.credentials.stored.set('account', { baseUrl, username: 'me', password: 'mine' });

		const { data } = await engine.run(
			workflowWith(
				{ operation: 'getUnit', unitId: '={{ $json.unit }}' },
				{ onError: 'continueRegularOutput' },
			),
			{ items: [7, 8, 9, 'A'].map((unit) => ({ json: { unit } })) },
		);
		await server.close();

		const [output] = data.resultData.runData[NODE]?.[0]?.data?.main ?? [];
		expect(output?.map(({ json }) => json)).toEqual([
			UNIT,
			{
				error: 'The service does not know unit 8',
				unitId: 8,
				description: expect.stringMatching(/^Check the unit ID\./) as unknown,
				httpCode: '404',
			},
			{
				error: 'The answer for unit 9 cannot be used: it is not the unit that was asked for',
				unitId: 9,
				description: expect.any(String) as unknown,
				httpCode: '200',
			},
			{
				error: `'Unit ID' is not a whole number: "A"`,
				unitId: null,
				description: expect.stringContaining("'Unit ID'") as unknown,
				httpCode: null,
			},
		]);
		const schema = 'dist/nodes/Aquaculture/__schema__/v1.0.0/getUnit.json';
		expect(JSON.parse(await readFile(path.join(copy, schema), 'utf8'))).toMatchObject({
			properties: { volume: { type: 'number' } },
		});
	}, 120_000);
});
