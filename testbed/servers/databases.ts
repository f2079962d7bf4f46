import { spawn, type ChildProcess } from 'node:child_process';
import { chownSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from '../command';
import { end, hasEnded } from '../n8n/home';
import { freePort, until } from '../wait';
import { programOf } from './programs';

/** A server on loopback, whose data ends with it. */
export interface Server {
	port: number;
	stop(): Promise<void>;
}

export async function startRedis(): Promise<Server> {
	return await startServer((directory, port) =>
		spawn(
			programOf('redis-server'),
			['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', ''],
			{ stdio: 'ignore' },
		),
	);
}

/** PostgreSQL with a superuser `n8n` that needs no password. */
export async function startPostgresql(): Promise<Server> {
	const server = programOf('postgresql');
	const user = await databaseUser();
	return await startServer(async (directory, port) => {
		if (user) chownSync(directory, user.uid, user.gid);
		const data = path.join(directory, 'data');
		await run(
			path.join(path.dirname(server), 'initdb'),
			['-D', data, '-U', 'n8n', '--auth=trust', '--no-sync'],
			{ quiet: true, ...user },
		);
		return spawn(
			server,
			['-D', data, '-p', String(port), '-k', directory, '-h', '127.0.0.1', '-F'],
			{ stdio: 'ignore', ...user },
		);
	});
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

async function startServer(
	start: (directory: string, port: number) => ChildProcess | Promise<ChildProcess>,
): Promise<Server> {
	const directory = await mkdtemp(path.join(tmpdir(), 'server-'));
	const port = await freePort();
	let child: ChildProcess | undefined;
	const stop = async () => {
		if (child) await end(child);
		await rm(directory, { recursive: true, force: true });
	};
	try {
		const started = (child = await start(directory, port));
		await until(async () => {
			if (hasEnded(started)) throw new Error(`${started.spawnfile} has ended`);
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
