import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import manifest from '../../package.json';
import { run } from '../../testbed/command';
import { useTemporaryFolder } from '../../testbed/jest/useTemporaryFolder';
import { pack } from '../../testbed/tarball';

const ROOT = path.resolve(__dirname, '../..');

const temporaryFolder = useTemporaryFolder();
let registry: Server;
let published: Array<{ name: string; access: string }>;

beforeEach(async () => {
	published = [];
	registry = createServer((request, response) => {
		void text(request).then((body) => {
			if (request.method === 'PUT') published.push(JSON.parse(body) as (typeof published)[0]);
			response.writeHead(request.method === 'PUT' ? 201 : 404).end('{}');
		});
	}).listen(0, '127.0.0.1');
	await once(registry, 'listening');
});
afterEach(() => registry.close());

/** Publishes to the stub registry. */
async function publish(what: string, ...parameters: string[]): Promise<void> {
	const host = `//127.0.0.1:${(registry.address() as AddressInfo).port}/`;
	const account = [`--registry=http:${host}`, `--${host}:_authToken=token`];
	await run('npm', ['publish', what, ...account, ...parameters], { cwd: ROOT, quiet: true });
}

it('npm refuses to publish the checkout', async () => {
	await expect(publish('.', '--provenance=false')).rejects.toThrow('npm error code EPRIVATE');
	expect(published).toEqual([]);
});

it('npm publishes the tarball publicly, and requires provenance', async () => {
	const { file } = await pack(temporaryFolder());

	await expect(publish(file)).rejects.toThrow(/provenance/i);
	expect(published).toEqual([]);
	await publish(file, '--provenance=false');
	expect(published).toEqual([expect.objectContaining({ name: manifest.name, access: 'public' })]);
});
