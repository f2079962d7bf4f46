import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';

/** A forward proxy that records what it can read; it decrypts TLS connections with its own certificate. */
export class ForwardProxy {
	/** Plain text. */
	received = '';

	private readonly sockets = new Set<net.Socket>();

	private readonly server: net.Server;

	private constructor(private readonly certificate: tls.SecureContextOptions) {
		this.server = net.createServer((socket) => this.serve(socket));
	}

	static async start(certificate: tls.SecureContextOptions): Promise<ForwardProxy> {
		const proxy = new ForwardProxy(certificate);
		await new Promise<void>((resolve) => {
			proxy.server.listen(0, '127.0.0.1', resolve);
		});
		return proxy;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	async stop(): Promise<void> {
		for (const socket of this.sockets) socket.destroy();
		await new Promise((resolve) => this.server.close(resolve));
	}

	private serve(socket: net.Socket): void {
		this.sockets.add(socket);
		socket.on('error', () => socket.destroy());
		socket.once('data', (head: Buffer) => {
			this.received += head.toString();
			const [method, target = ''] = head.toString().split(' ');
			if (method === 'CONNECT') this.decrypt(socket, `https://${target}`);
			else this.forward(socket, new URL(target), head);
		});
	}

	/** Poses as the target of the tunnel. */
	private decrypt(socket: net.Socket, origin: string): void {
		socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
		const inside = new tls.TLSSocket(socket, { ...this.certificate, isServer: true });
		inside.on('error', () => socket.destroy());
		inside.once('data', (head: Buffer) => {
			this.received += head.toString();
			this.forward(inside, new URL(origin), head);
		});
	}

	private forward(socket: net.Socket, { protocol, hostname, port }: URL, head: Buffer): void {
		const target =
			protocol === 'https:'
				? tls.connect({ host: hostname, port: Number(port), rejectUnauthorized: false })
				: net.connect({ host: hostname, port: Number(port) });
		target.on('error', () => socket.destroy());
		target.write(head);
		socket.pipe(target).pipe(socket);
	}
}
