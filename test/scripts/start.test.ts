import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import path from 'node:path';
import { PipedScript, startScript } from '../../testbed/command';
import { useTemporaryFolder } from '../../testbed/jest/useTemporaryFolder';
import { getFreePort, until } from '../../testbed/wait';

const temporaryFolder = useTemporaryFolder();
/** Environment for a download that fails at once. */
let offline: NodeJS.ProcessEnv;

beforeEach(() => {
	const temporary = temporaryFolder();
	offline = {
		N8N_CACHE_DIRECTORY: path.join(temporary, 'cache'),
		npm_config_registry: 'http://127.0.0.1:1',
		npm_config_fetch_retries: '0',
		npm_config_cache: path.join(temporary, 'npm'),
	};
});

async function listen(server: Server): Promise<number> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return (server.address() as AddressInfo).port;
}

/** Returns what `npm start` prints before it fails with status 1. */
async function failure(port: number, env: NodeJS.ProcessEnv = {}): Promise<string> {
	const parameters = ['--port', String(port)];
	const child = startScript('scripts/start.ts', parameters, { ...offline, ...env });
	const { exitCode, stderr } = await child;
	expect({ exitCode, stderr }).toEqual({
		exitCode: 1,
		stderr: expect.not.stringMatching(/^ +at /m),
	});
	return stderr;
}

it('npm start refuses a port in use', async () => {
	const server = createServer();
	const port = await listen(server);

	await expect(failure(port)).resolves.toMatch(
		new RegExp(`^✗ Port ${port} is taken\\. Choose another one: npm start -- --port \\d+\n`),
	);
	server.close();
});

it('npm start refuses a port that browsers block', async () => {
	await expect(failure(6665)).resolves.toMatch(
		new RegExp(`^✗ Port 6665 is blocked by browsers\\. Choose another one: npm start -- --port`),
	);
});

it('npm start refuses a disk that is too full for n8n', async () => {
	// These have no space at all, on Linux and on macOS.
	const full = process.platform === 'darwin' ? '/dev' : '/proc';

	await expect(failure(await getFreePort(), { N8N_CACHE_DIRECTORY: full })).resolves.toMatch(
		new RegExp(`^✗ n8n \\S+ needs 4 GB of disk, but ${full} has 0\\.0 GB free\\.`),
	);
});

it('npm start reports a failed download', async () => {
	await expect(failure(await getFreePort())).resolves.toMatch(
		/✗ "npm install [^"]*" ended with status 1\n(npm error.*\n)+The lines above tell why\./,
	);
	await expect(readdir(offline.N8N_CACHE_DIRECTORY as string)).resolves.toEqual([]);
});

it('npm start leaves nothing behind after Ctrl-C during a download', async () => {
	let hasAsked = false;
	const registry = createHttpServer(() => (hasAsked = true));
	const address = `http://127.0.0.1:${await listen(registry)}`;
	const parameters = ['--port', String(await getFreePort())];
	const script = new PipedScript('scripts/start.ts', parameters, {
		...offline,
		npm_config_registry: address,
	});
	await until(() => hasAsked);
	await expect(readdir(offline.N8N_CACHE_DIRECTORY as string)).resolves.toHaveLength(1);

	await script.interrupt('SIGINT');

	expect(script.printed).toMatch(/^• Installing in .+\n• Downloading /);
	await expect(readdir(offline.N8N_CACHE_DIRECTORY as string)).resolves.toEqual([]);
	// npm has ended, too.
	await new Promise((resolve) => registry.close(resolve));
});

it('npm start ends an npm that goes on after Ctrl-C, without its last words', async () => {
	const asked = path.join(temporaryFolder(), 'asked');
	const npm = `#!/bin/sh\ntrap 'echo last words; echo more of them >&2' TERM\ntouch ${asked}\nwhile :; do sleep 1; done\n`;
	await writeFile(path.join(temporaryFolder(), 'npm'), npm, { mode: 0o755 });
	const PATH = `${temporaryFolder()}${path.delimiter}${process.env.PATH}`;
	const parameters = ['--port', String(await getFreePort())];
	const script = startScript('scripts/start.ts', parameters, { ...offline, PATH });
	await until(() => existsSync(asked));

	script.kill('SIGINT');

	const { stdout, stderr } = await script;
	expect(stdout).toBe('');
	expect(stderr).toMatch(/\n• Ending, interrupted by SIGINT\n• Deleting .+\n$/);
	await expect(readdir(offline.N8N_CACHE_DIRECTORY as string)).resolves.toEqual([]);
});
