import type { IPollFunctions } from 'n8n-workflow';
import { fetchAll } from '../fetching/fetchAll';
import { NodeParameters } from '../fields/field';
import { resolveWatchedSites } from '../fields/siteFields';
import { KnownSites } from '../input/knownSites';
import { pollSlots } from '../limit/rateLimiter';
import { createClient, type Client } from '../sending/client';
import type { Failure } from '../messages/failure';
import { BODY_FAILURES } from '../service/requestFailures';
import type { Deviation } from '../service/answer';
import {
	buildIncludes,
	SECTIONS,
	siteDocument,
	siteSubject,
	type SiteRef,
	type RawSite,
} from '../service/site';
import { MINUTE_MS, SECOND_MS, systemClock, timeoutSignal } from '../utils/time';
import { getMemoryKey, type LoadedMemory, type TriggerMemory } from './n8nMemory';
import { MAX_SITE_SHARE, type ActivePoll } from './n8nPolls';
import { evaluateFields, getTriggerSettings, type TriggerSettings } from './triggerSettings';

/* Which sites does a poll read, with which settings, and what comes back? */

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

/** Returns in how many polls the trigger requests all sites in turns, if no other one uses the account. */
export function countPollsOfRound({ poll: { beganAt, endsAt }, client, sites }: PollSetup): number {
	const perMinute = pollSlots(client.account.settings.requestsPerMinute);
	// Half a minute is enough for the requests of a minute, because a poll begins with many of them.
	const minutes = Math.max(1, (endsAt - beganAt) / MINUTE_MS);
	return Math.ceil(sites.length / (perMinute * minutes));
}

/** By site ID. */
export interface PollResult {
	fetched: ReadonlyMap<number, FetchedSite>;
	/** Of each site: none, why it has no result, or which sections cannot be compared. */
	failuresOf: ReadonlyMap<number, readonly Failure[]>;
}

export interface FetchedSite {
	siteId: number;
	site: RawSite;
	/** ISO 8601, UTC. */
	seenAt: string;
}

/** Fetches whole sites: so there are values to compare with when people watch other changes later. */
const INCLUDES = buildIncludes({ units: true, info: true });

/** Bounds all tries of a site, in milliseconds. */
const ALL_TRIES_MS = 25 * SECOND_MS;

/** Fetches the sites in this order until the poll ends. Never throws. */
export async function fetchSites(
	{ poll: { endsAt }, client, settings }: PollSetup,
	sites: readonly SiteRef[],
): Promise<PollResult> {
	const requests = sites.map((site) => ({ ...siteDocument(site, INCLUDES), site }));
	const longestMs = Math.max(1, MAX_SITE_SHARE * (endsAt - systemClock.now()));
	const limits = {
		timeoutMs: Math.min(settings.timeoutMs, longestMs),
		allTriesMs: Math.min(ALL_TRIES_MS, longestMs),
	};
	const fetched = new Map<number, FetchedSite>();
	const failuresOf = new Map<number, Failure[]>();
	await fetchAll(client, requests, limits, ({ site }, { value, failure }) => {
		const { siteId } = site;
		if (value) fetched.set(siteId, { siteId, site: value.json, seenAt: new Date().toISOString() });
		failuresOf.set(siteId, value ? describeSections(site, value.deviations) : [failure]);
	});
	return { fetched, failuresOf };
}

/** Describes the sections of a site that cannot be compared, because the service sent another type. */
function describeSections(site: SiteRef, deviations: readonly Deviation[]): Failure[] {
	const unusable = deviations.filter(({ field }) => SECTIONS.some((section) => section === field));
	return unusable.map(({ field, reason }) =>
		BODY_FAILURES.unusable(siteSubject(site), `'${field}' ${reason}`),
	);
}
