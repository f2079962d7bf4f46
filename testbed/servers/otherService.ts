import fastify from 'fastify';

interface Asked {
	url: string;
	headers: Record<string, unknown>;
	body: unknown;
}

/** Stubs a third party's service, such as the webhook of a chat program. */
export class OtherService {
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
