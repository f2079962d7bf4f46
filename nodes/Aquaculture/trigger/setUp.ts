import { NodeApiError, type IPollFunctions, type NodeOperationError } from 'n8n-workflow';
import { describeNoPlace } from '../../../account/limit/plan';
import { SECOND_MS } from '../../../texts/duration';
import type { KnownSite } from '../../../account/knownSites';
import type { KnownSiteFault } from '../../../texts/fieldFaults';
import { MESSAGES } from '../../../texts/messages';
import { dataVersion } from '../fields/dataVersion';
import { Parameters } from '../fields/parameters';
import { SiteDirectory } from '../sites/directory';
import type { Failure } from '../requests/failure';
import { transportForPoll, type Transport } from '../requests/transport';
import type { PollFailure } from './failureReport';
import { evaluateFields, readLimits, readSettings, type Settings } from './settings';
import { RememberedSites, sourceOf, type Memory } from './memory';
import { limitsWithin, type TimeLimits } from './readWatched';

/** The part of a poll's time that the service's list of sites may take. */
const LIST_SHARE = 0.5;
/** Sites are not asked for with less time. */
const SHORTEST_MS = SECOND_MS;

/** What a poll needs, checked. */
export interface Setup {
	settings: Settings;
	transport: Transport;
	/** Identifies where sites are read. */
	source: string;
	/** What is remembered of the sites of this source. */
	remembered: RememberedSites;
	/** The failure of the service's list, if the trigger goes on without it. */
	failures: readonly PollFailure[];
	/** The lines of 'Known Sites' whose sites would be watched, if they could be used. */
	linesLeftOut: readonly KnownSiteFault[];
	/** The sites that are remembered from now on; undefined if a list may lack some of them for the moment. */
	keptSites: readonly number[] | undefined;
}

/** What is known of a poll before its settings. */
interface Poll {
	queueKind: 'poll' | 'attendedPoll';
	signal?: AbortSignal;
	memory: Memory;
	time: TimeLimits;
}

/**
 * Checks the settings, and reads the service's list of sites if they need it. If it cannot be read, the trigger goes on with
 * the list that was read last, or else with the sites that it remembers.
 *
 * @throws NodeOperationError for unusable settings.
 * @returns the failure of the list if nothing can be watched without it, or it has left no time for a site.
 */
export async function setUp(
	context: IPollFunctions,
	{ queueKind, signal, memory, time }: Poll,
): Promise<Setup | PollFailure> {
	const fields = evaluateFields(context);
	const transport = await transportForPoll(context, queueKind, signal);
	const leftMs = time.endsAt - performance.now();
	transport.cancellation.cancelAfter(leftMs);
	const { credential, account } = transport;
	const options = new Parameters(fields);
	const source = sourceOf(account.connection, options.read(dataVersion));
	const remembered = memory.source === source ? memory.sites : new RememberedSites();
	const timeOfList = { ...time, endsAt: time.endsAt - (1 - LIST_SHARE) * leftMs };
	const directory = new SiteDirectory(credential.knownSites, {
		transport,
		limits: { ...limitsWithin(timeOfList, readLimits(options)), maxTries: 1 },
		fallback: () => sitesOf(remembered),
	});
	const failureOf = (failure: Failure): PollFailure => ({
		subject: 'siteList',
		failure: failure.noPlace ? { ...failure, ...describeNoPlace(account.budget) } : failure,
	});
	const reading = readSettings(new Parameters(fields, directory));
	const settings = await reading.catch(async (error) =>
		error instanceof NodeApiError ? undefined : await reading,
	);
	const { failure, hasList } = directory;
	const isLate = performance.now() > time.endsAt - SHORTEST_MS;
	if (!settings || isLate) return failureOf(failure ?? MESSAGES.trigger.listTooSlow());
	const failures = failure && !failure.noPlace ? [failureOf(failure)] : [];
	const linesLeftOut = settings.watchesAll ? directory.linesLeftOut : [];
	// A line that cannot be used may be that of a remembered site, and the service's list may lack one for the moment.
	const mayLackSites = linesLeftOut.length > 0 || (settings.watchesAll && hasList);
	const keptSites = mayLackSites ? undefined : settings.siteIds;
	return { settings, transport, source, remembered, failures, linesLeftOut, keptSites };
}

/** Once the workflow is active, a setting that has become unusable is a failure like any other. */
export function settingsFailure({ message, description }: NodeOperationError): PollFailure {
	// An expression may return something else each time.
	const cause = message.replace(/".*"|\d+/gs, '');
	return { subject: 'settings', failure: { message, description: description ?? '', cause } };
}

function sitesOf({ siteIds }: RememberedSites): KnownSite[] {
	return siteIds.map((siteId) => ({ siteId, name: String(siteId) }));
}
