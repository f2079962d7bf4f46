import type { IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../utils/clock';
import { NodeParameters } from '../fields/parameters';
import { getWatchedSites } from '../fields/getSites';
import { KnownSites } from '../input/knownSites';
import { SECOND_MS } from '../utils/time';
import type { FailureText } from '../messages/messages';
import { createClient, type Client } from '../requests/client';
import { timeoutSignal } from '../utils/abort';
import type { NamedSite } from '../service/site';
import { getSource, type Memory, type RememberedSites } from './memory';
import { evaluateFields, readTriggerSettings, type TriggerSettings } from './triggerSettings';
import type { ActivePoll } from './pollLock';

/** Send no request in the last second of a poll: there would be no time for its answer. */
const RESERVE_MS = SECOND_MS;

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
	{ isAttended, endsAt, signal }: ActivePoll,
): Promise<PollSetup> {
	const parameters = new NodeParameters(evaluateFields(context));
	const client = await createClient(context, isAttended ? 'interactivePoll' : 'poll', {
		signal: AbortSignal.any([signal, timeoutSignal(endsAt - systemClock.now())]),
		waitDeadline: endsAt - RESERVE_MS,
	});
	const settings = readTriggerSettings(parameters);
	const known = new KnownSites(client.credential.knownSites);
	const { sites, unusable } = getWatchedSites(parameters, known);
	const source = getSource(client.account.settings, settings);
	return {
		settings,
		client,
		sites: [...new Map(sites.map((site) => [site.siteId, site])).values()],
		unusable,
		source,
		remembered: memory.source === source ? memory.sites : new Map(),
	};
}
