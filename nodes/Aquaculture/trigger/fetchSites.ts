import { fetchAll } from '../fetching/fetchAll';
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
import { SECOND_MS, systemClock } from '../utils/time';
import { MAX_SITE_SHARE } from './pollLock';
import type { PollSetup } from './pollSetup';

/* How does a poll read the sites, and what comes back? */

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

/** Bounds all tries of a site. A poll of four minutes has time for those in flight and five probes (`CircuitBreaker`). */
const ALL_TRIES_MS = 20 * SECOND_MS;

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
