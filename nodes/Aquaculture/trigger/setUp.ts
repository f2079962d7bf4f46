import type { IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../utils/clock';
import { NodeParameters } from '../fields/parameters';
import { getWatchedSites } from '../fields/getSites';
import { KnownSites } from '../input/knownSites';
import type { FailureText } from '../messages/messages';
import { createClient, type Client } from '../requests/client';
import { timeoutSignal } from '../utils/abort';
import type { SiteRef } from '../service/site';
import { getMemoryKey, loadMemory, type RememberedSites } from './memory';
import type { ActivePoll } from './pollLock';
import { RESERVE_MS } from './timeLimits';
import { evaluateFields, readTriggerSettings, type TriggerSettings } from './triggerSettings';

/** The settings of a poll, and what it needs to read the sites and to compare them. */
export interface PollSetup {
	settings: TriggerSettings;
	client: Client;
	/** The watched sites, each once. */
	sites: readonly SiteRef[];
	/** The parts of the list, or lines of 'Known Sites', that name no site. They may stand for remembered sites. */
	unusable: readonly FailureText[];
	/** See {@link getMemoryKey}. */
	memoryKey: string;
	/** The sites that were read with this key. */
	remembered: RememberedSites;
	/** Those of them that n8n has stored. */
	stored: RememberedSites;
}

/** @throws NodeOperationError that names the setting that cannot be used. */
export async function setUp(
	context: IPollFunctions,
	{ isInteractive, endsAt, signal }: ActivePoll,
): Promise<PollSetup> {
	const parameters = new NodeParameters(evaluateFields(context));
	const { newest, stored } = loadMemory(context);
	const client = await createClient(context, isInteractive ? 'interactivePoll' : 'poll', {
		signal: AbortSignal.any([signal, timeoutSignal(endsAt - systemClock.now())]),
		waitDeadline: endsAt - RESERVE_MS,
	});
	const settings = readTriggerSettings(parameters);
	const known = new KnownSites(client.credential.knownSites);
	const { sites, unusable } = getWatchedSites(parameters, known);
	const memoryKey = getMemoryKey(client.account.settings);
	return {
		settings,
		client,
		sites: [...new Map(sites.map((site) => [site.siteId, site])).values()],
		unusable,
		memoryKey,
		remembered: newest.memoryKey === memoryKey ? newest.sites : new Map(),
		stored: stored.memoryKey === memoryKey ? stored.sites : new Map(),
	};
}
