import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import type { Emulator } from './server';
import type { StoredSite } from './sites';

/**
 * Changes the sites of a running emulator, on a port of its own: the service has no such endpoint.
 *
 * `PATCH /sites/1001` merges a JSON object into a site (RFC 7396: null removes a field, a list replaces the old one) and
 * answers with the site.
 */
export class Control {
	private constructor(private readonly app: FastifyInstance) {}

	static async start(emulator: Emulator): Promise<Control> {
		const app = fastify({ forceCloseConnections: true });
		app.removeAllContentTypeParsers();
		app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
			done(null, body);
		});
		app.patch<{ Params: { siteId: string } }>('/sites/:siteId', ({ params, body }, reply) => {
			try {
				return change(emulator, Number(params.siteId), JSON.parse(String(body)));
			} catch (error) {
				return reply.code(400).send({ message: (error as Error).message });
			}
		});
		await app.listen({ host: '127.0.0.1', port: 0 });
		return new Control(app);
	}

	async stop(): Promise<void> {
		await this.app.close();
	}

	/** Returns a command that changes the licence of site 1001. */
	get example(): string {
		const { port } = this.app.server.address() as AddressInfo;
		return `curl -X PATCH http://127.0.0.1:${port}/sites/1001 -d '{"info":{"license":"M-H-0202"}}'`;
	}
}

/** @throws Error if there is nothing to change. */
function change(emulator: Emulator, siteId: number, patch: unknown): unknown {
	const site = emulator.sites.get(siteId);
	if (!site) throw new Error(`There is no site ${siteId}`);
	if (!isObject(patch)) throw new Error('Send a JSON object');
	const changed = { ...(merge(site, patch) as StoredSite), siteId };
	emulator.changeSite(siteId, () => changed);
	return changed;
}

function merge(target: unknown, patch: unknown): unknown {
	if (!isObject(patch)) return patch;
	const fields = new Map(Object.entries(isObject(target) ? target : {}));
	for (const [name, value] of Object.entries(patch)) {
		if (value === null) fields.delete(name);
		else fields.set(name, merge(fields.get(name), value));
	}
	return Object.fromEntries(fields);
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
