import { mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import axios from 'axios';
import { x } from 'tinyexec';
import manifest from '../../package.json';
import { SITES } from '../../emulator/sites';
import { PipedScript } from '../../testbed/command';
import { OWNER } from '../../testbed/n8n/instance';
import { getFreePort, until } from '../../testbed/wait';

// Slow: starts n8n, whose trigger polls once a minute.

let temporary: string;
let script: PipedScript;

beforeEach(async () => {
	temporary = await mkdtemp(path.join(tmpdir(), 'start-'));
});
const end = async () => {
	await script.interrupt('SIGKILL');
	await rm(temporary, { recursive: true, force: true });
};
afterEach(end);
onTeardown(end);

it('npm start runs n8n with credential, examples and reload, and leaves nothing behind after Ctrl-C', async () => {
	const port = await getFreePort();
	script = new PipedScript('scripts/start.ts', ['--port', String(port)], { TMPDIR: temporary });
	await until(() => script.printed.includes('Press Ctrl-C'), 240_000);

	const address = `http://127.0.0.1:${port}`;
	expect(script.printed).toContain(`n8n is ready: ${address}`);
	expect(script.printed).toContain(OWNER.password);
	expect(script.printed).toContain(`Its sites: ${SITES.map(({ siteId }) => siteId).join(', ')}\n`);
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
	await until(() => script.printed.includes('Copied the new build to n8n'));

	const [curl = ''] = /curl -X PATCH .+/.exec(script.printed) ?? [];
	const { exitCode } = await x('sh', ['-c', curl]);
	expect(exitCode).toBe(0);
	const [, watch] = /the workflow "([^"]+)" shows the change/.exec(script.printed) ?? [];
	const workflowId = workflows.find(({ name }) => name === watch)?.id;
	const filter = encodeURIComponent(JSON.stringify({ workflowId, status: ['success'] }));
	const executions = async () =>
		(await get<{ results: Array<{ id: string }> }>(`/executions?filter=${filter}`)).results;
	await until(async () => (await executions()).length > 0, 90_000);
	const [{ id } = { id: '' }] = await executions();
	expect((await get<{ data: string }>(`/executions/${id}`)).data).toContain(
		'Licence of Storvågen (1001): M-H-0101 → M-H-0202',
	);

	await script.interrupt('SIGINT');
	// tsx keeps its cache.
	await expect(readdir(temporary)).resolves.toEqual([expect.stringMatching(/^tsx-/)]);
	await expect(axios.get(address)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
}, 400_000);
