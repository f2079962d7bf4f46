import { systemClock } from '../utils/clock';
import { SECOND_MS } from '../utils/time';
import { MESSAGES } from '../messages/messages';
import { fetchAll } from '../fetching/fetchAll';
import type { Failure } from '../service/failures';
import type { Deviation } from '../service/response';
import {
	buildIncludes,
	SECTIONS,
	siteDocument,
	siteSubject,
	type SiteRef,
	type SentSite,
} from '../service/site';
import type { FetchOrder, SinceResult } from './fetchOrder';
import type { PollSetup } from './pollSetup';
import { MAX_SITE_SHARE } from './triggerSettings';

/** What a poll has fetched, and what it has not. */
export interface PollResult {
	/** By ID. */
	fetched: ReadonlyMap<number, FetchedSite>;
	/** The failures of sites, also of a fetched one if a section of it cannot be compared. */
	failed: SiteFailure[];
	/** The sites whose requests got no slot or token in time, or were cancelled in flight. */
	unfinished: UnfinishedSite[];
}

export interface FetchedSite {
	siteId: number;
	site: SentSite;
	/** ISO 8601, UTC. */
	seenAt: string;
}

export interface SiteFailure {
	site: SiteRef;
	failure: Failure;
}

interface UnfinishedSite extends SinceResult {
	site: SiteRef;
}

/** Fetches whole sites: so there are values to compare with when people watch other changes later. */
const INCLUDES = buildIncludes({ units: true, info: true });

/** Bounds all tries of a site, in milliseconds. */
const ALL_TRIES_MS = 25 * SECOND_MS;

/** Fetches the watched sites until the poll ends. Never throws. */
export async function fetchSites(
	{ poll: { beganAt, endsAt }, client, settings, sites, remembered }: PollSetup,
	order: FetchOrder,
): Promise<PollResult> {
	const sorted = order.sort(sites, remembered);
	const requests = sorted.map((site) => ({ ...siteDocument(site, INCLUDES), site }));
	const longestMs = Math.max(1, MAX_SITE_SHARE * (endsAt - systemClock.now()));
	const limits = {
		timeoutMs: Math.min(settings.timeoutMs, longestMs),
		allTriesMs: Math.min(ALL_TRIES_MS, longestMs),
	};
	const fetched = new Map<number, FetchedSite>();
	const failuresOf = new Map<SiteRef, Failure[]>();
	await fetchAll(client, requests, limits, ({ site }, { value, failure }) => {
		if (value) {
			const { siteId } = site;
			fetched.set(siteId, { siteId, site: value.json, seenAt: new Date().toISOString() });
		}
		failuresOf.set(site, value ? describeSections(site, value.deviations) : [failure]);
	});

	const getFailures = (site: SiteRef) => failuresOf.get(site) ?? [];
	const isUnfinished = (site: SiteRef) =>
		getFailures(site).some(({ kind }) => kind === 'notSent' || kind === 'cancelled');
	const unfinished = sorted.filter(isUnfinished);
	// A failure that stops all is also that of sites that were not requested, so the next poll requests these before those tried.
	const isStopped = (site: SiteRef) => getFailures(site).some(({ kind }) => kind === 'stopsAll');
	const isTried = (site: SiteRef) => !isStopped(site) && !isUnfinished(site);
	const finished = [...sorted.filter(isStopped), ...sorted.filter(isTried)];
	order.recordPoll(finished, unfinished, beganAt);
	return {
		fetched,
		failed: finished.flatMap((site) => getFailures(site).map((failure) => ({ site, failure }))),
		unfinished: unfinished.map((site) => ({ site, ...order.sinceResult(site, beganAt) })),
	};
}

/** Describes the sections of a site that cannot be compared, because the service sent another type. */
function describeSections(site: SiteRef, deviations: readonly Deviation[]): Failure[] {
	const unusable = deviations.filter(({ field }) => SECTIONS.some((section) => section === field));
	return unusable.map(({ field, reason }) =>
		MESSAGES.answer.unusable(siteSubject(site), `'${field}' ${reason}`),
	);
}
