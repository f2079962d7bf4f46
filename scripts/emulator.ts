import { DEMO_ACCOUNT, Emulator } from '../emulator/server';
import { readNumber, readOptions, UsageFailure } from './commandLine';

const USAGE = `npm run emulator -- [--port 8085] [--latency 0] [--lifetime 3600]

  --port      where it answers, on this machine only
  --latency   milliseconds that each answer takes
  --lifetime  seconds for which a token is accepted`;

async function main(): Promise<void> {
	const { help, port, latency, lifetime } = readOptions({
		port: { type: 'string', default: '8085' },
		latency: { type: 'string', default: '0' },
		lifetime: { type: 'string', default: '3600' },
		help: { type: 'boolean', default: false },
	});
	if (help) {
		console.log(USAGE);
		return;
	}
	const emulator = await Emulator.start({
		port: readNumber('port', port, 1, 65_535),
		latencyMs: readNumber('latency', latency, 0, 600_000),
		token: { lifetimeSeconds: readNumber('lifetime', lifetime, 1, 31_536_000) },
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

main().catch((error: Error & { code?: string; port?: number }) => {
	if (error instanceof UsageFailure) console.error(`${error.message}\n\n${USAGE}`);
	else if (error.code === 'EADDRINUSE') {
		console.error(
			`Port ${error.port} is taken. Choose another one: npm run emulator -- --port 8086`,
		);
	} else console.error(`The emulator could not be started: ${error.message}`);
	process.exitCode = 1;
});
