import fastify, { type FastifyInstance } from 'fastify';

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

	private constructor(private readonly server: FastifyInstance) {}

	static async start(answer: (url: string) => object = () => ({})): Promise<OtherService> {
		const service = new OtherService(fastify());
		service.server.all('*', ({ url, headers, body }) => {
			service.asked.push({ url, headers, body });
			return answer(url);
		});
		service.address = await service.server.listen({ host: '127.0.0.1', port: 0 });
		return service;
	}

	async stop(): Promise<void> {
		await this.server.close();
	}
}
