import type { IPollFunctions } from 'n8n-workflow';
import { NodeParameters } from '../fields/field';
import { getAllSites, LIST_FIELDS } from '../fields/whichSites';
import { KnownSites } from '../input/knownSites';
import { findEachSite } from '../input/siteReferences';
import type { Failure } from '../messages/failure';
import type { Invalid } from '../messages/invalid';
import type { SitesChoice } from '../messages/phrases';
import { TRIGGER_MESSAGES } from '../messages/trigger';
import { getTriggerKey } from '../n8n/polling';
import { createClient, type Client } from '../sending/client';
import type { SiteRef } from '../service/site';
import { SECOND_MS, systemClock, timeoutSignal } from '../utils/time';
import { getMemoryKey, type LoadedMemory, type TriggerMemory } from './memory';
import type { ActivePoll } from './pollLock';
import { evaluateFields, getTriggerSettings, type TriggerSettings } from './triggerSettings';

/* What does a poll begin with: which settings, sites and memory? */

/** Send no request in the last second of a poll: there would be no time for its answer. */
const RESERVE_MS = SECOND_MS;

/** A poll, its settings, and what it needs to fetch the sites and to compare them. */
export interface PollSetup extends LoadedMemory {
	poll: ActivePoll;
	/** See {@link getTriggerKey}. */
	triggerKey: string;
	settings: TriggerSettings;
	client: Client;
	/** The watched sites, each once. */
	sites: readonly SiteRef[];
	/** The entries of the list, or lines of 'Known Sites', that name no site. */
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
	const { sites, unusableEntries } = findWatchedSites(parameters, settings.sitesChoice, known);
	const memoryKey = getMemoryKey(client.account.settings);
	return {
		poll,
		triggerKey: getTriggerKey(context),
		settings,
		client,
		sites: [...new Map(sites.map((site) => [site.siteId, site])).values()],
		unusableEntries,
		memoryKey,
		...memory.load(context, memoryKey),
	};
}

/** Finds the sites, which may repeat. @throws if no entry of the field names one, since there is nothing to watch. */
function findWatchedSites(
	parameters: NodeParameters,
	choice: SitesChoice,
	known: KnownSites,
): { sites: SiteRef[]; unusableEntries: Failure[] } {
	if (choice === 'all') {
		const { unusableLines } = known;
		const failures = unusableLines.length > 0 ? [TRIGGER_MESSAGES.skippedLines(unusableLines)] : [];
		return { sites: getAllSites(parameters, known), unusableEntries: failures };
	}
	const field = LIST_FIELDS[choice];
	const sites: SiteRef[] = [];
	const reasons: Invalid[] = [];
	for (const site of findEachSite(parameters.get(field), known)) {
		if (site.failure) reasons.push(site.failure);
		else sites.push(site.value);
	}
	const [first] = reasons;
	if (first && sites.length === 0) throw parameters.createError(field, first);
	return {
		sites,
		unusableEntries: reasons.map((reason) => parameters.describeInvalid(field, reason)),
	};
}
