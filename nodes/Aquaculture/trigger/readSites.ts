import type { IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../account/clock';
import type { Failure } from '../service/failures';
import { abortedAfter } from '../service/retry';
import { includesOf, siteDocument, type NamedSite, type Site } from '../service/site';
import type { SiteList } from '../service/siteList';
import { SECOND_MS } from '../messages/duration';
import { MESSAGES, SENTENCES } from '../messages/messages';
import { Parameters } from '../fields/parameters';
import { clientFor, type Client } from '../requests/client';
import { readAll } from '../requests/readAll';
import type { TryLimits } from '../requests/request';
import { listHints, loadList } from '../input/serviceList';
import { Sites } from '../input/sites';
import { knownAmong, namedSites } from '../input/siteReferences';
import { sourceOf, type Memory, type RememberedSites } from './memory';
import { evaluateFields, LONGEST_SITE, readSettings, type Settings } from './settings';
import type { PollTurn } from './state';

/** Waiting for the account ends this long before the end of the poll, so that a request has time for its answer. */
const RESERVE_MS = SECOND_MS;
/** The part of a poll's time that the service's list of sites may take. */
const LIST_SHARE = 0.4;
/** Time for all tries of a site. */
const ALL_TRIES_MS = 25 * SECOND_MS;

/** What failed in a poll. */
export interface PollFailure {
	/** The site that could not be read; undefined for what sites share, such as the login. */
	site?: NamedSite;
	failure: Failure;
}

/** What a poll needs, checked. */
export interface Setup {
	settings: Settings;
	client: Client;
	/** Identifies where sites are read. */
	source: string;
	/** The sites of this source that the trigger remembers. */
	remembered: RememberedSites;
	/** The watched sites, each once. */
	sites: readonly NamedSite[];
	/** What keeps the trigger from knowing all sites that it is to watch. */
	failures: PollFailure[];
	/** What is to be said of their list, although it could be read. */
	notices: string[];
	/** Whether sites that are not watched now may only be missing for the moment. */
	mayLackSites: boolean;
}

/**
 * Checks the settings, and reads the service's list of sites if they need it. If it cannot be read, the trigger goes on with
 * the sites that are named by their IDs, or that it remembers.
 *
 * @throws NodeOperationError for unusable settings.
 */
export async function setUp(
	context: IPollFunctions,
	memory: Memory,
	{ isAttended, endsAt, signal }: PollTurn,
): Promise<Setup> {
	const parameters = new Parameters(evaluateFields(context));
	const client = await clientFor(context, isAttended ? 'attendedPoll' : 'poll', {
		signal: AbortSignal.any([signal, abortedAfter(endsAt - systemClock.now())]),
		waitEndsAt: endsAt - RESERVE_MS,
	});
	const settings = readSettings(parameters);
	const source = sourceOf(client.account.settings, settings);
	const remembered: RememberedSites = memory.source === source ? memory.sites : new Map();
	const timeoutMs = Math.min(settings.timeoutMs, LIST_SHARE * (endsAt - systemClock.now()));
	const watched = await findSites(client, parameters, { settings, remembered, timeoutMs });
	return { settings, client, source, remembered, ...watched };
}

async function findSites(
	client: Client,
	parameters: Parameters,
	{ settings, remembered, timeoutMs }: Pick<Setup, 'settings' | 'remembered'> & TryLimits,
): Promise<Pick<Setup, 'sites' | 'failures' | 'notices' | 'mayLackSites'>> {
	const hasList = client.account.settings.siteListPath !== undefined;
	const sites = new Sites(client.credential.knownSites, hasList);
	let { known, unknown } = knownAmong(parameters, sites);
	while (sites.wantsList) {
		await loadList(client, sites, { timeoutMs, maxTries: 1 });
		if (sites.failure) sites.use(listOf(remembered), 0);
		({ known, unknown } = knownAmong(parameters, sites));
	}
	const { failure, linesLeftOut } = sites;
	const named = failure ? known : namedSites(parameters, sites);
	const failures: PollFailure[] = [];
	if (failure && !failure.unasked) {
		const advice = unknown.length > 0 ? [SENTENCES.notWatched(unknown)] : [];
		const description = [failure.description, ...advice].join(' ');
		failures.push({ failure: { ...failure, description } });
	}
	if (settings.watchesAll && linesLeftOut.length > 0) {
		failures.push({ failure: MESSAGES.trigger.linesLeftOut(linesLeftOut) });
	}
	return {
		sites: [...new Map(named.map((site) => [site.siteId, site])).values()],
		failures,
		notices: settings.watchesAll && !failure && sites.list ? listHints(sites.list) : [],
		mayLackSites: hasList || failures.length > 0,
	};
}

/** A list of the sites that the trigger remembers. */
function listOf(remembered: RememberedSites): SiteList {
	const sites = [...remembered].map(([siteId, { site }]) => {
		return { siteId, name: site.siteName || String(siteId) };
	});
	return { sites, isWhole: false, unusable: [] };
}

/** A site that was read. */
export interface SeenSite {
	siteId: number;
	site: Site;
	/** ISO 8601, UTC. */
	seenAt: string;
}

/** The watched sites after they were asked for. */
export interface Reading {
	/** The sites that were read, by their IDs. */
	seen: ReadonlyMap<number, SeenSite>;
	/** Of the others that were asked for. */
	failures: PollFailure[];
	/** The sites that were not asked for: the account had no place for them in time, or no token. */
	unread: NamedSite[];
	/** The sites that this account may not read, and that are left out. */
	leftOut: NamedSite[];
}

/** @param order the watched sites in the order in which they are asked for. */
export async function readSites(
	{ client, settings }: Setup,
	order: readonly NamedSite[],
	endsAt: number,
): Promise<Reading> {
	const { additionalIncludes, dataVersion, ignoresMissing, timeoutMs } = settings;
	// All is read, whatever is watched: then there is something to compare with once more is watched.
	const includes = includesOf({ units: true, info: true }, additionalIncludes);
	const requests = order.map((site) => ({ ...siteDocument(site, includes), dataVersion, site }));
	const seen = new Map<number, SeenSite>();
	const failures = new Map<NamedSite, Failure>();
	const longestMs = Math.max(1, LONGEST_SITE * (endsAt - systemClock.now()));
	const allTriesMs = Math.min(ALL_TRIES_MS, longestMs);
	const limits = { timeoutMs: Math.min(timeoutMs, longestMs), allTriesMs };
	await readAll(client, requests, limits, ({ site }, { value, failure }) => {
		const { siteId } = site;
		if (value) seen.set(siteId, { siteId, site: value.json, seenAt: new Date().toISOString() });
		else failures.set(site, failure);
	});

	const reading: Reading = { seen, failures: [], unread: [], leftOut: [] };
	let shared: Failure | undefined;
	// A trigger that can read none of its sites would wait for ever, so that is a failure, whatever the option says.
	const mayLeaveOut = ignoresMissing && seen.size > 0;
	for (const site of order) {
		const failure = failures.get(site);
		if (!failure) continue;
		if (failure.unasked) reading.unread.push(site);
		else if (failure.accountWide) shared ??= failure;
		else if (failure.forbidden && mayLeaveOut) reading.leftOut.push(site);
		else if (!(failure.unknown && mayLeaveOut)) reading.failures.push({ site, failure });
	}
	if (shared) reading.failures.unshift({ failure: shared });
	return reading;
}
