import { systemClock } from '../utils/clock';
import { SECOND_MS } from '../utils/time';
import { MESSAGES } from '../messages/messages';
import type { ActivePoll } from '../polling/pollLock';
import { fetchAll } from '../requests/fetchAll';
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

export interface UnfinishedSite {
	site: SiteRef;
	/** For how long the site was not requested. */
	milliseconds: number;
	/** In how many polls it was not requested. */
	polls: number;
}

/** Fetches whole sites: so there are values to compare with when people watch other changes later. */
const INCLUDES = buildIncludes({ units: true, info: true });

/** Bounds all tries of a site, in milliseconds. */
const ALL_TRIES_MS = 25 * SECOND_MS;

/** Fetches the watched sites until the poll ends. Never throws. */
export async function fetchSites(
	{ client, settings, sites, remembered }: PollSetup,
	order: FetchOrder,
	{ beganAt, endsAt }: ActivePoll,
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

	const failures = sorted.flatMap((site) =>
		(failuresOf.get(site) ?? []).map((failure) => ({ site, failure })),
	);
	const isUnfinished = ({ failure }: SiteFailure) =>
		failure.kind === 'notSent' || failure.kind === 'cancelled';
	const unfinished = failures.filter(isUnfinished).map(({ site }) => site);
	const notRequested = new Set(unfinished);
	const requested = sorted.filter((site) => !notRequested.has(site));
	order.reportRequested(requested, beganAt);
	return {
		fetched,
		failed: failures.filter((each) => !isUnfinished(each)),
		unfinished: unfinished.map((site) => ({ site, ...order.sinceRequested(site, beganAt) })),
	};
}

/** Describes the sections of a site that cannot be compared, because the service sent another type. */
function describeSections(site: SiteRef, deviations: readonly Deviation[]): Failure[] {
	const unusable = deviations.filter(({ field }) => SECTIONS.some((section) => section === field));
	return unusable.map(({ field, reason }) =>
		MESSAGES.answer.unusable(siteSubject(site), `'${field}' ${reason}`),
	);
}

/** When a site was requested last, or when the trigger began to watch it. */
interface Turn {
	at: number;
	poll: number;
	isRequested: boolean;
}

/** Decides which sites a poll requests first: one that has no time for all sites leaves the others to the next poll. */
export class FetchOrder {
	private polls = 0;
	/** By ID: those that were requested the longest ago first. */
	private readonly turns = new Map<number, Turn>();

	/** Sorts the sites: first those without a memory, then those that were requested longest ago. */
	sort(sites: readonly SiteRef[], remembered: Pick<Set<number>, 'has'>): SiteRef[] {
		this.watch(sites);
		const requested = [...this.turns].filter(([, { isRequested }]) => isRequested);
		const ranks = new Map(requested.map(([siteId], index) => [siteId, index]));
		const rank = ({ siteId }: SiteRef) => ranks.get(siteId) ?? (remembered.has(siteId) ? -1 : -2);
		return sites.toSorted((one, other) => rank(one) - rank(other));
	}

	/** Adds new sites to the watched ones, and forgets those that are gone. */
	private watch(sites: readonly SiteRef[]): void {
		const watched = new Set(sites.map(({ siteId }) => siteId));
		for (const siteId of this.turns.keys()) {
			if (!watched.has(siteId)) this.turns.delete(siteId);
		}
		const added = { at: systemClock.now(), poll: this.polls, isRequested: false };
		for (const siteId of watched) {
			if (!this.turns.has(siteId)) this.turns.set(siteId, added);
		}
	}

	/** Counts a poll. @param sites in the order in which it requested them. */
	reportRequested(sites: readonly SiteRef[], at: number): void {
		this.polls += 1;
		for (const { siteId } of sites) {
			// A Map keeps the order of insertion.
			this.turns.delete(siteId);
			this.turns.set(siteId, { at, poll: this.polls, isRequested: true });
		}
	}

	/** Returns for how long a site, one of those that were sorted last, was not requested. */
	sinceRequested({ siteId }: SiteRef, now: number): Omit<UnfinishedSite, 'site'> {
		const { at, poll } = this.turns.get(siteId) as Turn;
		return { milliseconds: now - at, polls: this.polls - poll };
	}
}
