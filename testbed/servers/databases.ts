import type { SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { homedir, tmpdir } from 'node:os';
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
	return await startServer('redis-server', async (directory, port) => [
		...['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', ''],
	]);
}

/** PostgreSQL with a superuser `n8n` that needs no password. */
export async function startPostgresql(): Promise<Server> {
	// It refuses to run as root: Debian's package brings a user for it.
	const { uid, gid } = statSync(process.getuid?.() === 0 ? '/var/lib/postgresql' : homedir());
	const user = { uid, gid };
	const prepare = async (directory: string, port: number) => {
		chownSync(directory, uid, gid);
		const data = path.join(directory, 'data');
		const settings = ['-D', data, '-U', 'n8n', '--auth=trust', '--no-sync'];
		await run(programBesidePostgresql('initdb'), settings, { quiet: true, ...user });
		return ['-D', data, '-p', String(port), '-k', directory, '-h', '127.0.0.1', '-F'];
	};
	return await startServer('postgresql', prepare, user);
}

/** What a query finds in the database `postgres`, as CSV with a line of headings. */
export async function queryPostgresql({ port }: Server, query: string): Promise<string> {
	const place = ['-h', '127.0.0.1', '-p', String(port), '-U', 'n8n', '-d', 'postgres'];
	const parameters = [...place, '--csv', '-c', query];
	return await run(programBesidePostgresql('psql'), parameters, { quiet: true });
}

function programBesidePostgresql(name: string): string {
	return path.join(path.dirname(programOf('postgresql')), name);
}

/** @param prepare makes what the program needs, and gives the parameters with which it is started. */
async function startServer(
	name: Parameters<typeof programOf>[0],
	prepare: (directory: string, port: number) => Promise<string[]>,
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
			const socket = connect(port, '127.0.0.1');
			await once(socket, 'connect');
			socket.destroy();
			return true;
		});
	} catch (error) {
		await stop();
		throw error;
	}
	return { port, stop };
}
