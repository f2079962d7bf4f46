import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { answerForecasts } from './metNorway';

/** A request that has arrived. */
export interface Asked {
	/** Milliseconds since 1970. */
	at: number;
	method: string;
	/** Without the query. */
	path: string;
	query: Record<string, string | undefined>;
	headers: Record<string, string | string[] | undefined>;
	body: unknown;
}

/** The status of a usual answer by a service that is about to end. */
const DEPRECATED = 203;

/** What a request gets instead of the usual answer: a page with this status, a broken connection, or this as JSON. */
type Instead = (asked: Asked) => number | 'broken' | object | undefined;

/** The forecasts that an example asks for, on loopback. They come as their documentation says; the figures are made up. */
export class OpenData {
	readonly asked: Asked[] = [];

	/** Undefined gives the usual answer. */
	instead: Instead = () => undefined;

	private constructor(private readonly server: FastifyInstance) {}

	static async start(): Promise<OpenData> {
		const server = fastify();
		const openData = new OpenData(server);
		server.addHook('preHandler', async ({ method, url, query, headers, body }, reply) => {
			const [path = ''] = url.split('?');
			const asked = { at: Date.now(), method, path, query, headers, body } as Asked;
			openData.asked.push(asked);
			const instead = openData.instead(asked);
			if (instead === 'broken') reply.raw.destroy();
			else if (instead === DEPRECATED) reply.code(DEPRECATED);
			else if (typeof instead === 'number') {
				await reply.code(instead).type('text/html').send('<html>');
			} else if (instead) await reply.send(instead);
		});
		answerForecasts(server);
		await server.listen({ host: '127.0.0.1', port: 0 });
		return openData;
	}

	async stop(): Promise<void> {
		await this.server.close();
	}

	reset(): void {
		this.asked.length = 0;
		this.instead = () => undefined;
	}

	/** A public address, with this server in place of the service's. */
	at(address: string): string {
		const { port } = this.server.server.address() as AddressInfo;
		return address.replace(/^https:\/\/[^/]+/, `http://127.0.0.1:${port}`);
	}

	/** The requests whose path contains this. */
	of(path: string): Asked[] {
		return this.asked.filter((asked) => asked.path.includes(path));
	}
}
