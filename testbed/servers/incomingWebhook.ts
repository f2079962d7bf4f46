import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** The incoming webhook of a chat program: takes messages on loopback. */
export class IncomingWebhook {
	/** The bodies of the messages, in the order of their arrival. */
	readonly messages: unknown[] = [];

	private readonly server = createServer((request, response) => {
		json(request)
			.then((message) => this.messages.push(message))
			.then(
				() => response.end('ok'),
				() => response.writeHead(400).end(),
			);
	});

	static async start(): Promise<IncomingWebhook> {
		const webhook = new IncomingWebhook();
		await once(webhook.server.listen(0, '127.0.0.1'), 'listening');
		return webhook;
	}

	async stop(): Promise<void> {
		await new Promise((resolve) => this.server.close(resolve));
	}

	get url(): string {
		const { port } = this.server.address() as AddressInfo;
		return `http://127.0.0.1:${port}`;
	}
}
