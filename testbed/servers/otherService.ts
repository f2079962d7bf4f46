import fastify from 'fastify';

/** A request that has arrived. */
interface Asked {
	url: string;
	headers: Record<string, unknown>;
	body: unknown;
}

/** Somebody else's service on loopback, such as the incoming webhook of a chat program. It answers everything with JSON. */
export class OtherService {
	/** In the order of their arrival. */
	readonly asked: Asked[] = [];

	address = '';

	private readonly server = fastify();

	constructor(answer: (asked: Asked) => object = () => ({})) {
		this.server.all('*', ({ url, headers, body }) => {
			this.asked.push({ url, headers, body });
			return answer({ url, headers, body });
		});
	}

	async start(): Promise<this> {
		this.address = await this.server.listen({ host: '127.0.0.1', port: 0 });
		return this;
	}

	async stop(): Promise<void> {
		await this.server.close();
	}
}
