import type { IPollFunctions } from 'n8n-workflow';
import { timeoutSignal, systemClock, SECOND_MS } from '../utils/time';
import { resolveWatchedSites } from '../fields/siteFields';
import { NodeParameters } from '../fields/field';
import { KnownSites } from '../input/knownSites';
import type { Failure } from '../messages/failure';
import { createClient, type Client } from '../sending/client';
import type { SiteRef } from '../service/site';
import { getMemoryKey, type LoadedMemory, type TriggerMemory } from './n8nMemory';
import type { ActivePoll } from './n8nPolls';
import { evaluateFields, getTriggerSettings, type TriggerSettings } from './triggerSettings';

/** Send no request in the last second of a poll: there would be no time for its answer. */
const RESERVE_MS = SECOND_MS;

/** A poll, its settings, and what it needs to fetch the sites and to compare them. */
export interface PollSetup extends LoadedMemory {
	poll: ActivePoll;
	settings: TriggerSettings;
	client: Client;
	/** The watched sites, each once. */
	sites: readonly SiteRef[];
	/** The entries of the list, or lines of 'Known Sites', that name no site. They may stand for remembered sites. */
	unusableEntries: readonly Failure[];
	/** See {@link getMemoryKey}. */
	memoryKey: string;
}

/** @throws NodeOperationError that names the setting that cannot be used. */
export async function createPollSetup(
	context: IPollFunctions,
	poll: ActivePoll,
	memory: TriggerMemory,
): Promise<PollSetup> {
	const { kind, endsAt, signal } = poll;
	const parameters = new NodeParameters(evaluateFields(context));
	const client = await createClient(context, kind === 'regular' ? 'poll' : 'interactivePoll', {
		signal: AbortSignal.any([signal, timeoutSignal(endsAt - systemClock.now())]),
		waitDeadline: endsAt - RESERVE_MS,
	});
	const settings = getTriggerSettings(parameters);
	const known = new KnownSites(client.account.settings.knownSites);
	const { sites, unusable } = resolveWatchedSites(parameters, known);
	const memoryKey = getMemoryKey(client.account.settings);
	return {
		poll,
		settings,
		client,
		sites: [...new Map(sites.map((site) => [site.siteId, site])).values()],
		unusableEntries: unusable,
		memoryKey,
		...memory.load(context, memoryKey),
	};
}
