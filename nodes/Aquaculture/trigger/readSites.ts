import { systemClock } from '../utils/clock';
import { readAll } from '../requests/readAll';
import type { Failure } from '../service/failures';
import type { Deviation } from '../service/response';
import { buildIncludes, siteDocument, type SiteRef, type SentSite } from '../service/site';
import { ALL_TRIES_MS, MAX_SITE_SHARE } from './timeLimits';
import type { PollSetup } from './setUp';

export interface SeenSite {
	named: SiteRef;
	site: SentSite;
	/** ISO 8601, UTC. */
	seenAt: string;
	/** The documented fields that have another type. */
	deviations: readonly Deviation[];
}

export interface PollFailure {
	/** Undefined if all sites share the failure, such as that of the login. */
	site?: SiteRef;
	failure: Failure;
}

/** The results of the watched sites. */
export interface Reading {
	/** The sites that were read, by ID. */
	seen: ReadonlyMap<number, SeenSite>;
	failures: PollFailure[];
	/** The sites whose requests got no slot or token in time, or were cancelled in flight. */
	unfinished: SiteRef[];
	/** The sites that the service does not know, if 'Ignore Missing Sites' is on. */
	skipped: SiteRef[];
}

/** Reads whole sites: so there are values to compare with when people watch other changes later. */
const INCLUDES = buildIncludes({ units: true, info: true });

/** Reads the sites in this order. Never throws. */
export async function readSites(
	{ client, settings }: PollSetup,
	order: readonly SiteRef[],
	endsAt: number,
): Promise<Reading> {
	const requests = order.map((site) => ({ ...siteDocument(site, INCLUDES), site }));
	const longestMs = Math.max(1, MAX_SITE_SHARE * (endsAt - systemClock.now()));
	const limits = {
		timeoutMs: Math.min(settings.timeoutMs, longestMs),
		allTriesMs: Math.min(ALL_TRIES_MS, longestMs),
	};
	const seen = new Map<number, SeenSite>();
	const failureOf = new Map<SiteRef, Failure>();
	await readAll(client, requests, limits, ({ site: named }, { value, failure }) => {
		if (!value) {
			failureOf.set(named, failure);
			return;
		}
		const { json: site, deviations } = value;
		seen.set(named.siteId, { named, site, seenAt: new Date().toISOString(), deviations });
	});

	const failed = order.flatMap((site) => {
		const failure = failureOf.get(site);
		return failure ? [{ site, failure }] : [];
	});
	const failedWith = (...kinds: Array<Failure['kind']>) =>
		failed.filter(({ failure }) => kinds.includes(failure.kind));
	const unfinished = failedWith('notSent', 'cancelled');
	const shared = failedWith('account');
	const unknown = failedWith('notFound');
	// If the service knows none of the sites, 'Base URL' may be wrong.
	const maySkip = settings.ignoresMissing && unknown.length < order.length;
	const skipped = maySkip ? unknown : [];
	const others = new Set([...unfinished, ...shared, ...skipped]);
	return {
		seen,
		failures: [
			...shared.slice(0, 1).map(({ failure }) => ({ failure })),
			...failed.filter((each) => !others.has(each)),
		],
		unfinished: unfinished.map(({ site }) => site),
		skipped: skipped.map(({ site }) => site),
	};
}
