import type { Fault, FaultRule } from '../emulator/faults';
import { DEMO_ACCOUNT, Emulator } from '../emulator/server';
import { knownSitesOf, makeSites, SITES } from '../emulator/sites';
import type { Cleanup } from '../testbed/cleanup';
import { command, readNumber, readOptions, readPort, UsageError } from './commandLine';

const USAGE = `npm run emulator -- [--port 8085] [--sites ${SITES.length}] [--limit 100] [--fail 503]

  --port        the port, on this machine only
  --sites       how many sites the account may read
  --limit       how many requests an account may send a minute, logins included; 0 for no limit
  --lifetime    for how many seconds a token is accepted
  --latency     how many milliseconds each answer takes
  --fail        how requests fail: a status such as 503, or reset, truncated, hang or html
  --fail-for    which requests fail: sites, login, or the ID of one site
  --fail-times  how many requests fail before the service works again; all by default`;

const NAMED_FAULTS = new Map<string, Fault>([
	['reset', { kind: 'reset' }],
	['truncated', { kind: 'truncated' }],
	['hang', { kind: 'hang' }],
	[
		'html',
		{ kind: 'body', body: '<!doctype html><title>Log in</title>', contentType: 'text/html' },
	],
]);

async function main(cleanup: Cleanup): Promise<void> {
	const options = readOptions({
		port: { type: 'string', default: '8085' },
		sites: { type: 'string', default: String(SITES.length) },
		limit: { type: 'string', default: '100' },
		lifetime: { type: 'string', default: '3600' },
		latency: { type: 'string', default: '0' },
		fail: { type: 'string' },
		'fail-for': { type: 'string', default: 'sites' },
		'fail-times': { type: 'string' },
	});
	const count = readNumber('sites', options.sites, 1, 10_000);
	const settings = {
		port: await readPort('npm run emulator', options.port),
		sites: [...SITES, ...makeSites(count)].slice(0, count),
		requestsPerMinute: readNumber('limit', options.limit, 0, 1_000_000),
		token: { lifetimeSeconds: readNumber('lifetime', options.lifetime, 1, 31_536_000) },
		latencyMs: readNumber('latency', options.latency, 0, 600_000),
	};
	const times = options['fail-times'];
	const rule = options.fail && {
		fault: readFault(options.fail),
		...(times !== undefined && { times: readNumber('fail-times', times, 1, 1_000_000) }),
		...readTarget(options['fail-for']),
	};
	const emulator = await cleanup.use(new Emulator(settings).start());
	if (rule) emulator.fail(rule);
	print(emulator);
	await new Promise<never>(() => undefined);
}

/** @throws UsageError */
function readFault(text: string): Fault {
	const named = NAMED_FAULTS.get(text);
	if (named) return named;
	const status = Number(text);
	if (/^\d{3}$/.test(text) && status >= 300 && status <= 599) return { kind: 'status', status };
	throw new UsageError('--fail must be a status from 300 to 599, reset, truncated, hang or html');
}

/** @throws UsageError */
function readTarget(text: string): Pick<FaultRule, 'route' | 'siteId'> {
	if (text === 'sites') return { route: 'site' };
	if (text === 'login') return { route: 'token' };
	if (/^-?\d+$/.test(text)) return { route: 'site', siteId: Number(text) };
	throw new UsageError('--fail-for must be sites, login or the ID of a site');
}

function print({ baseUrl, settings, exampleOfChange }: Emulator): void {
	const { requestsPerMinute: limit, sites } = settings;
	console.log(`The emulated service answers at ${baseUrl}
  Username   ${DEMO_ACCOUNT.username}
  Password   ${DEMO_ACCOUNT.password}
  Limit      ${limit === 0 ? 'none' : `${limit} requests a minute for each account`}

To change a site: ${exampleOfChange}

For Known Sites in the credential:
${knownSitesOf(sites)}

Press Ctrl-C to end it.`);
}

command(main, USAGE, 0);
