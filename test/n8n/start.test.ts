import { mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import axios from 'axios';
import { x, type Result } from 'tinyexec';
import manifest from '../../package.json';
import { SITES } from '../../emulator/sites';
import { startScript } from '../../testbed/command';
import { OWNER } from '../../testbed/n8n/instance';
import { getFreePort, until } from '../../testbed/wait';

// Slow: starts n8n, whose trigger polls once a minute.

let temporary: string;
let child: Result;
let told: string;
/** Resolves with the exit status of the command. */
let ended: Promise<number | undefined>;

beforeEach(async () => {
	temporary = await mkdtemp(path.join(tmpdir(), 'start-'));
});
afterEach(async () => {
	child.kill();
	await ended;
	await rm(temporary, { recursive: true, force: true });
});

const start = (parameters: string[], env: NodeJS.ProcessEnv = {}) => {
	const started = startScript('scripts/start.ts', parameters, { TMPDIR: temporary, ...env });
	const read = async () => {
		for await (const line of started) told += `${line}\n`;
		return started.exitCode;
	};
	child = started;
	told = '';
	const reading = read();
	ended = reading;
	onTeardown(async () => {
		started.kill();
		await reading;
	});
};

const fails = async (sentence: string | RegExp) => {
	await expect(ended).resolves.toBe(1);
	expect(told).toMatch(sentence);
	expect(told).not.toMatch(/^ +at /m);
};
const endsByCtrlC = async () => {
	child.kill('SIGINT');
	await expect(ended).resolves.toBe(0);
	await expect(readdir(temporary)).resolves.not.toContainEqual(expect.stringMatching(/^n8n-/));
};

it('npm start runs n8n with credential, examples and reload, and stops at Ctrl-C', async () => {
	const port = await getFreePort();
	start(['--port', String(port)]);
	await until(() => told.includes('Press Ctrl-C'), 240_000);

	const address = `http://127.0.0.1:${port}`;
	expect(told).toContain(`n8n is ready: ${address}`);
	expect(told).toContain(OWNER.password);
	expect(told).toContain(`Its sites: ${SITES.map(({ siteId }) => siteId).join(', ')}\n`);
	const rest = axios.create({ baseURL: `${address}/rest`, headers: { 'browser-id': 'test' } });
	const { headers } = await rest.post('/login', {
		emailOrLdapLoginId: OWNER.email,
		password: OWNER.password,
	});
	rest.defaults.headers.common.cookie = headers['set-cookie']?.join('; ') ?? '';
	const get = async <T>(url: string) => (await rest.get<{ data: T }>(url)).data.data;
	const workflows = await get<Array<{ id: string; name: string }>>('/workflows');
	expect(workflows.map(({ name }) => name)).toContain('Get a site');

	const folder = (await readdir(temporary)).find((name) => name.startsWith('n8n-')) ?? '';
	const log = async () => await readFile(path.join(temporary, folder, 'n8n.log'), 'utf8');
	// n8n starts watching some seconds after it is ready.
	const watching = new RegExp(`Watching node folders for hot reload.*"loader": "${manifest.name}"`);
	await until(async () => watching.test(await log()));
	await utimes(path.resolve(__dirname, '../../dist/NOTICE'), new Date(), new Date());
	await until(async () => (await log()).includes(`Hot reload triggered for ${manifest.name}`));
	await until(() => told.includes('Copied the new build to n8n'));

	const [curl = ''] = /curl -X PATCH .+/.exec(told) ?? [];
	const { exitCode } = await x('sh', ['-c', curl]);
	expect(exitCode).toBe(0);
	const [, watch] = /the workflow "([^"]+)" shows the change/.exec(told) ?? [];
	const workflowId = workflows.find(({ name }) => name === watch)?.id;
	const filter = encodeURIComponent(JSON.stringify({ workflowId, status: ['success'] }));
	const executions = async () =>
		(await get<{ results: Array<{ id: string }> }>(`/executions?filter=${filter}`)).results;
	await until(async () => (await executions()).length > 0, 90_000);
	const [{ id } = { id: '' }] = await executions();
	expect((await get<{ data: string }>(`/executions/${id}`)).data).toContain(
		'Licence of Storvågen (1001): M-H-0101 → M-H-0202',
	);

	await endsByCtrlC();
	await expect(axios.get(address)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
}, 400_000);

it('npm start reports a port in use', async () => {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	start(['--port', String(port)]);

	await fails(`✗ Port ${port} is taken. Choose another one: npm start -- --port`);
	server.close();
});

it('npm start reports a failed download', async () => {
	start(['--port', String(await getFreePort())], {
		N8N_CACHE_DIRECTORY: path.join(temporary, 'cache'),
		npm_config_registry: 'http://127.0.0.1:1',
		npm_config_fetch_retries: '0',
		npm_config_cache: path.join(temporary, 'npm'),
	});

	await fails(/✗ "npm install [^"]*" ended with status 1\nThe lines above tell why\./);
});
