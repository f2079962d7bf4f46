import { Control } from '../emulator/control';
import { DEMO_ACCOUNT, Emulator } from '../emulator/server';
import { knownSitesOf } from '../emulator/sites';
import { Failure } from '../testbed/failure';
import type { Stage } from '../testbed/stage';
import { command, readNumber, readOptions } from './commandLine';

const USAGE = `npm run emulator -- [--port 8085] [--latency 0] [--lifetime 3600] [--requests-per-minute 100]

  --port                 where it answers, on this machine only
  --latency              milliseconds that each answer takes
  --lifetime             seconds for which a token is accepted
  --requests-per-minute  requests that an account may send in any minute, logins among them; 0 for no limit`;

async function main(stage: Stage): Promise<void> {
	const options = readOptions({
		port: { type: 'string', default: '8085' },
		latency: { type: 'string', default: '0' },
		lifetime: { type: 'string', default: '3600' },
		'requests-per-minute': { type: 'string', default: '100' },
		help: { type: 'boolean', default: false },
	});
	if (options.help) {
		console.log(USAGE);
		return;
	}
	const read = (
		name: 'port' | 'latency' | 'lifetime' | 'requests-per-minute',
		...bounds: [number, number]
	) => readNumber(name, options[name], ...bounds);
	const starting = Emulator.start({
		port: read('port', 1, 65_535),
		latencyMs: read('latency', 0, 600_000),
		token: { lifetimeSeconds: read('lifetime', 1, 31_536_000) },
		requestsPerMinute: read('requests-per-minute', 0, 1_000_000),
	});
	const emulator = await stage.keep(starting).catch((error: Error & { code?: string }) => {
		if (error.code !== 'EADDRINUSE') throw error;
		throw new Failure(
			`Port ${options.port} is taken. Choose another one: npm run emulator -- --port 8086`,
		);
	});
	const control = await stage.keep(Control.start(emulator));
	const { requestsPerMinute, sites } = emulator.settings;
	const limit = `${requestsPerMinute} requests a minute for each account`;
	console.log(`The emulated service answers at ${emulator.baseUrl}
  Username   ${DEMO_ACCOUNT.username}
  Password   ${DEMO_ACCOUNT.password}
  Sites      ${sites.map(({ siteId }) => siteId).join(', ')}
  Limit      ${requestsPerMinute === 0 ? 'none' : limit}

To change a site: ${control.example}

For Known Sites in the credential:
${knownSitesOf(sites)}

Press Ctrl-C to end it.`);
	await new Promise<never>(() => undefined);
}

command(main, USAGE, 0);
