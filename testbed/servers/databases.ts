import type { SpawnOptions } from 'node:child_process';
import { chownSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Background, run } from '../command';
import { freePort, until } from '../wait';
import { programOf } from './programs';

/** A server on loopback, whose data ends with it. */
export interface Server {
	port: number;
	stop(): Promise<void>;
}

export async function startRedis(): Promise<Server> {
	return await startServer('redis-server', (directory, port) => [
		'--port',
		String(port),
		'--bind',
		'127.0.0.1',
		'--dir',
		directory,
		'--save',
		'',
	]);
}

/** PostgreSQL with a superuser `n8n` that needs no password. */
export async function startPostgresql(): Promise<Server> {
	const user = await databaseUser();
	const prepare = async (directory: string, port: number) => {
		if (user) chownSync(directory, user.uid, user.gid);
		const data = path.join(directory, 'data');
		const initdb = path.join(path.dirname(programOf('postgresql')), 'initdb');
		await run(initdb, ['-D', data, '-U', 'n8n', '--auth=trust', '--no-sync'], {
			quiet: true,
			...user,
		});
		return ['-D', data, '-p', String(port), '-k', directory, '-h', '127.0.0.1', '-F'];
	};
	return await startServer('postgresql', prepare, user);
}

/** What a query finds in the database `postgres`, as CSV with a line of headings. */
export async function queryPostgresql({ port }: Server, query: string): Promise<string> {
	const psql = path.join(path.dirname(programOf('postgresql')), 'psql');
	const place = ['-h', '127.0.0.1', '-p', String(port), '-U', 'n8n', '-d', 'postgres'];
	return await run(psql, [...place, '--csv', '-c', query], { quiet: true });
}

/** PostgreSQL refuses to run as root: Debian's package brings a user for it. */
async function databaseUser(): Promise<{ uid: number; gid: number } | undefined> {
	if (process.getuid?.() !== 0) return undefined;
	const [uid, gid] = await Promise.all(
		['-u', '-g'].map(async (what) => Number(await run('id', [what, 'postgres'], { quiet: true }))),
	);
	return { uid: uid ?? 0, gid: gid ?? 0 };
}

/** @param prepare makes what the program needs, and gives the parameters with which it is started. */
async function startServer(
	name: Parameters<typeof programOf>[0],
	prepare: (directory: string, port: number) => string[] | Promise<string[]>,
	user: SpawnOptions = {},
): Promise<Server> {
	const directory = await mkdtemp(path.join(tmpdir(), 'server-'));
	const port = await freePort();
	let server: Background | undefined;
	const stop = async () => {
		await server?.end();
		await rm(directory, { recursive: true, force: true });
	};
	try {
		const parameters = await prepare(directory, port);
		const started = new Background(programOf(name), parameters, { stdio: 'ignore', ...user });
		server = started;
		await until(async () => {
			if (started.hasEnded) throw new Error(`${name} has ended`);
			await answers(port);
			return true;
		});
	} catch (error) {
		await stop();
		throw error;
	}
	return { port, stop };
}

async function answers(port: number): Promise<void> {
	const socket = connect(port, '127.0.0.1');
	await new Promise((resolve, reject) => {
		socket.once('connect', resolve).once('error', reject);
	}).finally(() => socket.destroy());
}
