import type { IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../utils/clock';
import { NodeParameters } from '../fields/parameters';
import { getWatchedSites } from '../fields/getSites';
import { KnownSites } from '../input/knownSites';
import type { FailureText } from '../messages/messages';
import { createClient, type Client } from '../requests/client';
import { timeoutSignal } from '../utils/abort';
import type { NamedSite } from '../service/site';
import { getSource, type Memory, type RememberedSites } from './memory';
import { RESERVE_MS } from './timeLimits';
import { evaluateFields, readTriggerSettings, type TriggerSettings } from './triggerSettings';
import type { ActivePoll } from './pollLock';

/** The settings of a poll, and what it needs to read the sites. */
export interface PollSetup {
	settings: TriggerSettings;
	client: Client;
	/** The watched sites, each once. */
	sites: readonly NamedSite[];
	/** The parts of the list, or lines of 'Known Sites', that name no site. They may stand for remembered sites. */
	unusable: readonly FailureText[];
	/** See {@link getSource}. */
	source: string;
	/** The remembered sites of this source. */
	remembered: RememberedSites;
}

/** @throws NodeOperationError that names the setting that cannot be used. */
export async function setUp(
	context: IPollFunctions,
	memory: Memory,
	{ isInteractive, endsAt, signal }: ActivePoll,
): Promise<PollSetup> {
	const parameters = new NodeParameters(evaluateFields(context));
	const client = await createClient(context, isInteractive ? 'interactivePoll' : 'poll', {
		signal: AbortSignal.any([signal, timeoutSignal(endsAt - systemClock.now())]),
		waitDeadline: endsAt - RESERVE_MS,
	});
	const settings = readTriggerSettings(parameters);
	const known = new KnownSites(client.credential.knownSites);
	const { sites, unusable } = getWatchedSites(parameters, known);
	const source = getSource(client.account.settings);
	return {
		settings,
		client,
		sites: [...new Map(sites.map((site) => [site.siteId, site])).values()],
		unusable,
		source,
		remembered: memory.source === source ? memory.sites : new Map(),
	};
}
