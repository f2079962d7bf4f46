import { Control } from '../emulator/control';
import { DEMO_ACCOUNT, Emulator, type EmulatorSettings } from '../emulator/server';
import { knownSitesOf } from '../emulator/sites';
import { Failure } from '../testbed/failure';
import { command, interrupted, readNumber, readOptions, UsageFailure } from './commandLine';

const USAGE = `npm run emulator -- [--port 8085] [--latency 0] [--lifetime 3600] [--requests-per-minute 100]
                        [--retry-after auto] [--ban-after 50] [--site-list /list]

  --port                 where it answers, on this machine only
  --latency              milliseconds that each answer takes
  --lifetime             seconds for which a token is accepted
  --requests-per-minute  requests that an account may send in any minute, logins among them; 0 for no limit
  --retry-after          what a refusal says of the wait: auto (until a request is accepted again), off (nothing),
                         or a number of seconds
  --ban-after            refusals after which the account is banned; without it, no account is
  --site-list            the path at which it lists its sites; without it, there is no list`;

async function main(): Promise<void> {
	const options = readOptions({
		port: { type: 'string', default: '8085' },
		latency: { type: 'string', default: '0' },
		lifetime: { type: 'string', default: '3600' },
		'requests-per-minute': { type: 'string', default: '100' },
		'retry-after': { type: 'string', default: 'auto' },
		'ban-after': { type: 'string' },
		'site-list': { type: 'string' },
		help: { type: 'boolean', default: false },
	});
	if (options.help) {
		console.log(USAGE);
		return;
	}
	const { 'ban-after': banAfter } = options;
	const emulator = await Emulator.start({
		port: readNumber('port', options.port, 1, 65_535),
		latencyMs: readNumber('latency', options.latency, 0, 600_000),
		token: { lifetimeSeconds: readNumber('lifetime', options.lifetime, 1, 31_536_000) },
		requestsPerMinute: readNumber(
			'requests-per-minute',
			options['requests-per-minute'],
			0,
			1_000_000,
		),
		retryAfter: readRetryAfter(options['retry-after']),
		...readSiteList(options['site-list']),
		banAfter: banAfter === undefined ? banAfter : readNumber('ban-after', banAfter, 1, 1_000_000),
	}).catch((error: Error & { code?: string }) => {
		if (error.code !== 'EADDRINUSE') throw error;
		throw new Failure(
			`Port ${options.port} is taken. Choose another one: npm run emulator -- --port 8086`,
		);
	});
	const control = await Control.start(emulator);
	console.log(`The emulated service answers at ${emulator.baseUrl}
  Username   ${DEMO_ACCOUNT.username}
  Password   ${DEMO_ACCOUNT.password}
  Sites      ${emulator.settings.sites.map(({ siteId }) => siteId).join(', ')}
  Limit      ${describeLimit(emulator.settings)}
  Site list  ${emulator.settings.siteList?.path ?? 'none'}

To change a site: ${control.example}

For Known Sites in the credential:
${knownSitesOf(emulator.settings.sites)}

Press Ctrl-C to end it.`);
	interrupted().addEventListener('abort', () => {
		void Promise.all([control.stop(), emulator.stop()]);
	});
}

function readRetryAfter(typed: string): boolean | number {
	if (typed === 'auto') return true;
	if (typed === 'off') return false;
	if (/^\d+$/.test(typed)) return readNumber('retry-after', typed, 0, 86_400);
	throw new UsageFailure('--retry-after must be auto, off or a number of seconds');
}

function readSiteList(path: string | undefined): Pick<Partial<EmulatorSettings>, 'siteList'> {
	if (path === undefined) return {};
	if (!/^\/[^?#\s]*$/.test(path)) {
		throw new UsageFailure('--site-list must be a path such as /list');
	}
	return { siteList: { path } };
}

function describeLimit({ requestsPerMinute, banAfter }: EmulatorSettings): string {
	if (requestsPerMinute === 0) return 'none';
	const limit = `${requestsPerMinute} requests a minute for each account`;
	return banAfter === undefined ? limit : `${limit}, which is banned after ${banAfter} refusals`;
}

command(main, USAGE);
