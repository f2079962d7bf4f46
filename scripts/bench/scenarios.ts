import { UNLIMITED } from '../../emulator/server';
import type { ContestantName } from './contestants';
import type { Conditions } from './service';

/** A load, the behaviour of the service, and those that are measured side by side. */
export interface Scenario {
	/** By which it is chosen on the command line and found in the results. */
	name: string;
	title: string;
	/** Items that the step is to put out. */
	items: number;
	/** Different sites among them; where it is left out, each is another one. */
	distinctSites?: number;
	service: Conditions;
	contestants: readonly ContestantName[];
	/** How often each of them runs, where it is not to be chosen. */
	rounds?: number;
}

const AT_ONCE: Conditions = { ...UNLIMITED, latencyMs: 0, latencyJitter: 0 };
/** Without a jitter equal waits would keep all requests in step, as no network does. */
const DISTANT: Conditions = { ...UNLIMITED, latencyMs: 50, latencyJitter: 0.4 };

const OURS = ['getSite', 'getManySites'] as const;
const HTTP_REQUESTS = ['httpRequest', 'httpRequestToken'] as const;
const ALL = [...OURS, ...HTTP_REQUESTS, 'undici', 'axios'] as const;
const FIFTY = ['getSite50', 'getManySites50', 'undici50', 'axios50'] as const;

function load(
	items: number,
	service: Conditions,
	contestants: readonly ContestantName[] = ALL,
): Scenario {
	const sites = items.toLocaleString('en');
	return {
		name: `${items}-${service.latencyMs}ms`,
		title: `${sites} sites, ${service.latencyMs} ms latency`,
		items,
		service,
		contestants,
	};
}

export const SCENARIOS: readonly Scenario[] = [
	load(100, AT_ONCE),
	load(100, DISTANT),
	load(1000, AT_ONCE),
	load(1000, DISTANT, [...ALL, 'getSiteComputed', ...FIFTY]),
	load(5000, AT_ONCE, [...ALL, 'getSiteComputed']),
	load(5000, DISTANT),
	load(10_000, AT_ONCE, OURS),
	load(50_000, AT_ONCE, OURS),
	{
		name: 'repeated',
		title: '5,000 items over 100 sites, 0 ms latency',
		items: 5000,
		distinctSites: 100,
		service: AT_ONCE,
		contestants: [...OURS, 'httpRequest'],
	},
	{
		name: 'limit',
		title: '250 sites of a service that takes 100 requests a minute',
		items: 250,
		service: { ...DISTANT, requestsPerMinute: 100 },
		contestants: ['getManySites', ...HTTP_REQUESTS],
		rounds: 1,
	},
	{
		name: 'unavailable',
		title: '1,000 sites of a service of which 2 % of the answers are 503',
		items: 1000,
		service: {
			...DISTANT,
			faults: [{ route: 'site', share: 0.02, fault: { kind: 'status', status: 503 } }],
		},
		contestants: [...OURS, ...HTTP_REQUESTS, 'httpRequestRetry'],
	},
];
