import type { IPollFunctions } from 'n8n-workflow';
import type { KnownSite } from '../../../shared/knownSites';
import { dataVersion } from '../fields/dataVersion';
import { Parameters } from '../fields/parameters';
import { SiteListSupply } from '../siteList/siteListSupply';
import type { Failure } from '../transport/failure';
import { transportForPoll, type Transport } from '../transport/transport';
import type { PollFailure } from './failureReport';
import { evaluateFields, readLimits, readSettings, type Settings } from './settings';
import { RememberedSites, sourceOf, type Memory } from './memory';
import { limitsWithin, type TimeLimits } from './readWatched';

/** What a poll needs, checked. */
export interface Setup {
	settings: Settings;
	transport: Transport;
	/** Identifies where sites are read. */
	source: string;
	/** What is remembered of the sites of this source. */
	remembered: RememberedSites;
	/** That the list of sites could not be read, so that the one that was read last is used. */
	failures: readonly PollFailure[];
	/** Whether a site that is not watched any more is to be forgotten: the list may lack others for the moment. */
	isListWhole: boolean;
}

/** What is known of a poll before its settings. */
interface Poll {
	kind: 'poll' | 'watchedPoll';
	signal?: AbortSignal;
	memory: Memory;
	time: TimeLimits;
}

/**
 * Checks the settings, and reads the service's list of sites where they need it. If it cannot be read, the trigger goes on with
 * the list that was read last, or else with the sites that it remembers.
 *
 * @throws NodeOperationError for unusable settings.
 * @returns the failure of the list where nothing can be watched without it.
 */
export async function setUp(
	context: IPollFunctions,
	{ kind, signal, memory, time }: Poll,
): Promise<Setup | PollFailure> {
	const fields = evaluateFields(context);
	const transport = await transportForPoll(context, kind, signal);
	const parameters = new Parameters(fields, transport);
	const source = sourceOf(transport.connection, parameters.read(dataVersion));
	const remembered = memory.source === source ? memory.sites : new RememberedSites();
	const siteList = new SiteListSupply(transport, limitsWithin(time, readLimits(parameters)));
	let failure: Failure | undefined;
	while (lacksSites(parameters)) {
		if (failure) return { subject: 'siteList', failure };
		const list = await siteList.next();
		if (!list) break;
		failure = list.failure;
		parameters.addSites((list.value ?? siteList.last)?.sites ?? sitesOf(remembered));
	}
	return {
		settings: readSettings(parameters),
		transport,
		source,
		remembered,
		failures: failure ? [{ subject: 'siteList', failure }] : [],
		isListWhole: !failure && !siteList.isPartial,
	};
}

/** Whether the settings cannot be used as long as it is not known which sites the service lists. */
function lacksSites(parameters: Parameters): boolean {
	try {
		readSettings(parameters);
		return false;
	} catch {
		return parameters.wantsSiteList;
	}
}

function sitesOf({ siteIds }: RememberedSites): KnownSite[] {
	return siteIds.map((siteId) => ({ siteId, name: String(siteId) }));
}
