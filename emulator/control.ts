import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { checkSite } from '../service/siteSchema';
import type { Emulator } from './server';

/**
 * Changes the sites of a running emulator, at an address of its own on loopback: the service has nothing of the kind.
 *
 * - `GET /sites` lists all sites.
 * - `PATCH /sites/1001` merges a JSON object into a site as RFC 7396 describes it (null takes a field away, a list
 *   replaces the one before), and answers with the site. A change that docs/service-interface.md does not allow is refused.
 *
 * A refusal is an object whose `message` says why.
 */
export class Control {
	private constructor(private readonly app: FastifyInstance) {}

	/** Starts the control of an emulator at a free port. */
	static async start(emulator: Emulator): Promise<Control> {
		const app = build(emulator);
		await app.listen({ host: '127.0.0.1', port: 0 });
		return new Control(app);
	}

	async stop(): Promise<void> {
		await this.app.close();
	}

	get address(): string {
		const { port } = this.app.server.address() as AddressInfo;
		return `http://127.0.0.1:${port}`;
	}

	/** A command that changes the licence of site 1001. */
	get example(): string {
		return `curl -X PATCH ${this.address}/sites/1001 -d '{"info":{"license":"M-H-0202"}}'`;
	}
}

function build(emulator: Emulator): FastifyInstance {
	const app = fastify({ forceCloseConnections: true });
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
		done(null, body);
	});
	app.get('/sites', () => [...emulator.sites.values()]);
	app.patch<{ Params: { siteId: string } }>('/sites/:siteId', (request, reply) => {
		const { siteId: typed } = request.params;
		const site = emulator.sites.get(Number(typed));
		if (!site)
			return sendFailure(reply, 404, `There is no site ${typed}. GET /sites lists all sites`);
		const patch = parse(request.body);
		if (!isObject(patch)) {
			const what = patch === undefined ? 'not JSON' : 'not a JSON object';
			const hint = 'Send a change such as {"siteName":"Nyvågen"}';
			return sendFailure(reply, 400, `The body is ${what}. ${hint}`);
		}
		if (Object.hasOwn(patch, 'siteId') && patch.siteId !== site.siteId) {
			return sendFailure(reply, 400, "'siteId' cannot be changed");
		}
		const { fault, value } = checkSite(merge(site, patch), site.siteId);
		if (fault !== undefined) return sendFailure(reply, 400, fault);
		const changed = { ...value, siteId: site.siteId };
		emulator.changeSite(site.siteId, () => changed);
		return changed;
	});
	app.setNotFoundHandler((_request, reply) =>
		sendFailure(reply, 404, 'Use GET /sites to see all sites, and PATCH /sites/1001 to change one'),
	);
	return app;
}

function sendFailure(reply: FastifyReply, status: number, message: string) {
	return reply.code(status).send({ message });
}

/** Undefined if the body is not JSON. */
function parse(body: unknown): unknown {
	try {
		return JSON.parse(String(body));
	} catch {
		return undefined;
	}
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
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
