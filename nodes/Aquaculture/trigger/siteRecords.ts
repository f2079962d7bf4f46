import { systemClock, HOUR_MS, MINUTE_MS } from '../utils/time';
import type { Failure, FailureKind } from '../messages/failure';
import { isTransient } from '../service/retry';
import type { SiteRef } from '../service/site';
import type { PollResult } from './fetchSites';

/** Report a continuing failure once an hour. The poll of the next hour may come a little early. */
const REMINDER_MS = HOUR_MS - MINUTE_MS;

/** With these kinds of failures, a site was not requested, or nobody knows what was answered. */
const UNREQUESTED_KINDS: ReadonlyArray<FailureKind | undefined> = [
	'notSent',
	'cancelled',
	'stopsAll',
];

/** A poll, and when it began by {@link systemClock}. */
interface PollTime {
	poll: number;
	at: number;
}

/** What this process knows of a watched site. */
export interface SiteRecord {
	site: SiteRef;
	/** The last poll that requested it; until then, the one before the trigger began to watch it. */
	requested: PollTime;
	/** Why it could not be read, or compared, when it was requested last. Empty if it could, or was never requested. */
	failures: readonly Failure[];
	/** When it was read last; undefined if it never was. */
	lastReadAt: Date | undefined;
}

/**
 * What a trigger knows of its sites from its activation on. A poll may have no time for all of them, so what fails and what to
 * request next is read from here, and not from the results of one poll.
 */
export class SiteRecords {
	private polls = 0;
	/** In the order of the next poll. */
	private records: readonly SiteRecord[] = [];
	/** The failure that stopped a poll, until one has an answer. It says nothing about a site. */
	stoppedBy: Failure | undefined;
	/** The last poll that was stopped. No site waits longer than since then, because it could not have been read. */
	private stopped: PollTime = { poll: 0, at: -Infinity };
	/** When failures were reported, by {@link systemClock}. That of a site is forgotten when the site is read. */
	private readonly reportedAt = new Map<string, number>();

	/** Watches these sites from now on: first new ones, of these first those without a memory, then those requested longest ago. */
	watch(sites: readonly SiteRef[], remembered: Pick<Set<number>, 'has'>, at: number): void {
		const watched = new Map(sites.map((site) => [site.siteId, site]));
		const earlier = this.records.flatMap((record) => {
			// Its name may have changed.
			const site = watched.get(record.site.siteId);
			if (!site) return [];
			watched.delete(site.siteId);
			// A body may be large, and only the failed execution of its own poll shows it.
			const failures = record.failures.map((failure) => ({ ...failure, body: undefined }));
			return [{ ...record, site, failures }];
		});
		const requested = { poll: this.polls, at };
		const added = [...watched.values()].map((site) => {
			return { site, requested, failures: [], lastReadAt: undefined };
		});
		const isRemembered = ({ site }: SiteRecord) => remembered.has(site.siteId);
		const isNew = (record: SiteRecord) => !isRemembered(record);
		this.records = [...added.filter(isNew), ...added.filter(isRemembered), ...earlier];
	}

	/** Adds what a poll has brought: a result for each site. */
	add({ fetched, failuresOf }: PollResult, beganAt: number): void {
		this.polls += 1;
		const requested = { poll: this.polls, at: beganAt };
		const updated = this.records.map((record) => {
			const { siteId } = record.site;
			const failures = failuresOf.get(siteId) ?? [];
			if (failures.some(({ kind }) => UNREQUESTED_KINDS.includes(kind))) return record;
			if (failures.length === 0) this.reportedAt.delete(getSiteKey(record.site));
			const seenAt = fetched.get(siteId)?.seenAt;
			return {
				...record,
				requested,
				failures,
				lastReadAt: seenAt ? new Date(seenAt) : record.lastReadAt,
			};
		});
		const wasRequested = (record: SiteRecord) => record.requested === requested;
		const wasAnswered = (record: SiteRecord) =>
			wasRequested(record) && !record.failures.some(isTransient);
		const stop = [...failuresOf.values()].flat().find(({ kind }) => kind === 'stopsAll');
		if (stop) this.stopped = requested;
		if (stop || updated.some(wasAnswered)) this.stoppedBy = stop;
		this.records = [
			...updated.filter((record) => !wasRequested(record)),
			...updated.filter(wasRequested),
		];
	}

	/** All sites, in the order of the next poll. */
	get all(): readonly SiteRecord[] {
		return this.records;
	}

	/** Returns the sites that the last poll requested. */
	get ofLastPoll(): readonly SiteRecord[] {
		return this.records.filter(({ requested }) => requested.poll === this.polls);
	}

	/** Whether a failure stopped the last poll. */
	get isStopped(): boolean {
		return this.stoppedBy !== undefined && this.stopped.poll === this.polls;
	}

	/** Returns the sites that have waited for longer than this, and for more polls. */
	listWaiting(now: number, maxMs: number, maxPolls: number): SiteRecord[] {
		return this.records.filter(({ requested }) => {
			const at = Math.max(requested.at, this.stopped.at);
			const poll = Math.max(requested.poll, this.stopped.poll);
			return now - at > maxMs && this.polls - poll > maxPolls;
		});
	}

	/** Returns whether one of these failures was not reported within the hour. If so, all of them count as reported now. */
	shouldReport(failureKeys: readonly string[]): boolean {
		const now = systemClock.now();
		const isDue = (key: string) => now - (this.reportedAt.get(key) ?? -Infinity) >= REMINDER_MS;
		if (!failureKeys.some(isDue)) return false;
		for (const key of failureKeys) this.reportedAt.set(key, now);
		return true;
	}
}

/** Identifies the failures of a site, whatever the reason. */
export function getSiteKey({ siteId }: SiteRef): string {
	return `site ${siteId}`;
}
