import type { SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { x, type Result } from 'tinyexec';
import { hasExited, run } from '../command';
import { getFreePort, until } from '../wait';
import { programPath } from './programs';

/** A server on loopback that deletes its data when it stops. */
export interface Server {
	port: number;
	stop(): Promise<void>;
}

export async function startRedis(): Promise<Server> {
	return await startServer('redis-server', async (directory, port) => [
		...['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', ''],
	]);
}

/** Starts PostgreSQL with a superuser `n8n` that needs no password. */
export async function startPostgresql(): Promise<Server> {
	// PostgreSQL refuses to run as root; Debian's package has a user for it.
	const { uid, gid } = statSync(process.getuid?.() === 0 ? '/var/lib/postgresql' : homedir());
	const user = { uid, gid };
	const prepare = async (directory: string, port: number) => {
		chownSync(directory, uid, gid);
		const data = path.join(directory, 'data');
		const settings = ['-D', data, '-U', 'n8n', '--auth=trust', '--no-sync'];
		await run(postgresqlProgram('initdb'), settings, { quiet: true, ...user });
		return ['-D', data, '-p', String(port), '-k', directory, '-h', '127.0.0.1', '-F'];
	};
	return await startServer('postgresql', prepare, user);
}

/** Queries the database `postgres`. @returns CSV with headings. */
export async function queryPostgresql({ port }: Server, query: string): Promise<string> {
	const place = ['-h', '127.0.0.1', '-p', String(port), '-U', 'n8n', '-d', 'postgres'];
	const parameters = [...place, '--csv', '-c', query];
	return await run(postgresqlProgram('psql'), parameters, { quiet: true });
}

function postgresqlProgram(name: string): string {
	return path.join(path.dirname(programPath('postgresql')), name);
}

/** @param prepare returns the parameters of the program. */
async function startServer(
	name: Parameters<typeof programPath>[0],
	prepare: (directory: string, port: number) => Promise<string[]>,
	user: SpawnOptions = {},
): Promise<Server> {
	const port = await getFreePort();
	const directory = await mkdtemp(path.join(tmpdir(), 'server-'));
	let server: Result | undefined;
	const stop = async () => {
		server?.kill();
		await server;
		await rm(directory, { recursive: true, force: true });
	};
	try {
		const parameters = await prepare(directory, port);
		server = x(programPath(name), parameters, { nodeOptions: { stdio: 'ignore', ...user } });
		await until(async () => {
			if (hasExited(server)) throw new Error(`${name} has ended`);
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
