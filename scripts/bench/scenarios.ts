import type { IDataObject } from 'n8n-workflow';
import { NODE_TYPE, step, type Step } from '../../testbed/workflows';

/** How many sites are read, and how the emulated service behaves meanwhile. */
export interface Scenario {
	name: ScenarioName;
	sites: number;
	latencyMs: number;
	/** Of the service and of the credential; 0: no limit. */
	requestsPerMinute: number;
	steps: readonly StepName[];
	/** How often each step runs. */
	runs: number;
}

export type ScenarioName = 'cpu' | 'time' | 'limit';
export type StepName = keyof typeof STEPS;

/** What reads the sites: a node of n8n, or the script in `bareScript.mts`. */
export const STEPS = {
	getSite: { label: 'Get Site', usesPackage: true },
	getManySites: { label: 'Get Many Sites', usesPackage: true },
	httpRequest: { label: 'HTTP Request, same credential', usesPackage: false },
	script: { label: 'Bare script', usesPackage: false },
};

const ALL = ['getSite', 'getManySites', 'httpRequest', 'script'] as const;
const UNLIMITED = { requestsPerMinute: 0, steps: ALL, runs: 3 };

export const SCENARIOS: readonly Scenario[] = [
	{ ...UNLIMITED, name: 'cpu', sites: 5000, latencyMs: 0 },
	{ ...UNLIMITED, name: 'time', sites: 1000, latencyMs: 50 },
	{
		name: 'limit',
		sites: 250,
		latencyMs: 50,
		requestsPerMinute: 100,
		steps: ['getManySites', 'httpRequest'],
		runs: 1,
	},
];

/** The IDs of as many different sites. */
export const siteIds = (count: number) =>
	Array.from({ length: count }, (_, index) => 100_001 + index);

/** The name of the measured step in its workflow. */
export const MEASURED = 'Measured';

/**
 * The steps of a workflow, in a row: a trigger, what makes an item of each site, and the measured step.
 *
 * @param credential the ID and name of a stored credential.
 */
export function stepsOf(
	{ sites }: Scenario,
	name: StepName,
	baseUrl: string,
	credential: string,
): Step[] {
	const ids = siteIds(sites);
	const settings = {
		credentials: { aquacultureApi: { id: credential, name: credential } },
		// A failed item becomes an error item, so that the sites that arrive can be counted.
		onError: 'continueRegularOutput' as const,
	};
	const start = step('Start', 'manualTrigger');
	const aquaculture = (parameters: IDataObject) =>
		step(MEASURED, NODE_TYPE, { operation: name, ...parameters }, settings);
	if (name === 'getManySites')
		return [start, aquaculture({ sites: 'byId', siteIds: ids.join(',') })];

	const list = { mode: 'raw', jsonOutput: JSON.stringify({ siteId: ids }) };
	const request = {
		url: `=${baseUrl}/meta/sites/{{ $json.siteId }}?$include=units,info`,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'aquacultureApi',
	};
	return [
		start,
		step('List', 'set', list, { typeVersion: 3.4 }),
		step('Items', 'splitOut', { fieldToSplitOut: 'siteId' }),
		name === 'getSite'
			? aquaculture({ siteId: '={{ $json.siteId }}' })
			: step(MEASURED, 'httpRequest', request, { ...settings, typeVersion: 4.5 }),
	];
}
