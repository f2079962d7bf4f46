import { systemClock } from '../utils/clock';
import { readAll } from '../requests/readAll';
import type { Failure } from '../service/failures';
import type { Deviation } from '../service/response';
import { buildIncludes, siteDocument, type NamedSite, type SentSite } from '../service/site';
import { ALL_TRIES_MS, MAX_SITE_SHARE } from './timeLimits';
import type { PollSetup } from './setUp';

export interface SeenSite {
	siteId: number;
	site: SentSite;
	/** ISO 8601, UTC. */
	seenAt: string;
	/** The documented fields that have another type. */
	deviations: readonly Deviation[];
}

export interface PollFailure {
	/** Undefined if all sites share the failure, such as that of the login. */
	site?: NamedSite;
	failure: Failure;
}

export type SiteFailure = Required<PollFailure>;

/** The results of the watched sites. */
export interface Reading {
	/** The sites that were read, by ID. */
	seen: ReadonlyMap<number, SeenSite>;
	failures: PollFailure[];
	/** The sites that were not requested, because there was no slot or token in time. */
	notRequested: NamedSite[];
	/** The failed sites that 'Ignore Missing Sites' leaves out. */
	leftOut: SiteFailure[];
}

/** Reads the sites in this order. Never throws. */
export async function readSites(
	{ client, settings }: PollSetup,
	order: readonly NamedSite[],
	endsAt: number,
): Promise<Reading> {
	// Read everything, so that there are values to compare with when people watch other changes later.
	const includes = buildIncludes({ units: true, info: true }, settings.additionalIncludes);
	const { dataVersion } = settings;
	const requests = order.map((site) => ({ ...siteDocument(site, includes), dataVersion, site }));
	const longestMs = Math.max(1, MAX_SITE_SHARE * (endsAt - systemClock.now()));
	const limits = {
		timeoutMs: Math.min(settings.timeoutMs, longestMs),
		allTriesMs: Math.min(ALL_TRIES_MS, longestMs),
	};
	const seen = new Map<number, SeenSite>();
	const failures = new Map<NamedSite, Failure>();
	await readAll(client, requests, limits, ({ site }, { value, failure }) => {
		const { siteId } = site;
		if (!value) {
			failures.set(site, failure);
			return;
		}
		const { json, deviations } = value;
		seen.set(siteId, { siteId, site: json, seenAt: new Date().toISOString(), deviations });
	});
	const failed = order.flatMap((site) => {
		const failure = failures.get(site);
		return failure ? [{ site, failure }] : [];
	});

	const failedWith = (...kinds: Array<Failure['kind']>) =>
		failed.filter(({ failure }) => kinds.includes(failure.kind));
	const notRequested = failedWith('notSent', 'cancelled');
	const shared = failedWith('account');
	// Otherwise a trigger that can read no site at all would never report it.
	const mayLeaveOut = settings.ignoresMissing && seen.size + notRequested.length > 0;
	const leftOut = mayLeaveOut ? failedWith('forbidden', 'notFound') : [];
	const others = new Set([...notRequested, ...shared, ...leftOut]);
	return {
		seen,
		failures: [
			...shared.slice(0, 1).map(({ failure }) => ({ failure })),
			...failed.filter((each) => !others.has(each)),
		],
		notRequested: notRequested.map(({ site }) => site),
		leftOut,
	};
}
