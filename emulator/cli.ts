import { parseArgs } from 'node:util';
import { DEMO_ACCOUNT, Emulator } from './server';

const { values } = parseArgs({
	options: {
		port: { type: 'string', default: '8085' },
		latency: { type: 'string', default: '0' },
		lifetime: { type: 'string', default: '3600' },
	},
});

async function main(): Promise<void> {
	const emulator = await Emulator.start({
		port: Number(values.port),
		latencyMs: Number(values.latency),
		token: { lifetimeSeconds: Number(values.lifetime) },
	});
	console.log(`The emulated service answers at ${emulator.baseUrl}
  Username   ${DEMO_ACCOUNT.username}
  Password   ${DEMO_ACCOUNT.password}
  Sites      ${emulator.settings.sites.map(({ siteId }) => siteId).join(', ')}
Press Ctrl-C to end it.`);
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => void emulator.stop());
	}
}

main().catch((error: Error & { code?: string }) => {
	console.error(
		error.code === 'EADDRINUSE'
			? `Port ${values.port} is taken. Choose another one: npm run emulator -- --port 8086`
			: `The emulator could not be started: ${error.message}`,
	);
	process.exitCode = 1;
});
