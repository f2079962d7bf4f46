import type { Failure } from '../messages/failure';
import type { SiteRef } from '../service/site';
import type { PollResult } from './fetchSites';

/*
 * What does the trigger know of each site? A poll may have no time for all of them, so what fails, and what to request next, is read
 * from here, and not from the results of one poll.
 *
 * | The poll                                         | The record of a site  | `stopFailure`                         |
 * | ------------------------------------------------ | --------------------- | ------------------------------------- |
 * | requested it                                     | says what came of it  | none                                  |
 * | had no time for it                               | stays                 | none if it requested another one      |
 * | was stopped before it, such as by a failed login | stays, but waits anew | says why, until a poll is not stopped |
 */

/** What this process knows of a watched site. */
export interface SiteRecord {
	site: SiteRef;
	/** Whether the last poll requested it. */
	wasRequested: boolean;
	/**
	 * Since when it waits to be requested, by the monotonic clock: since it was added, or since the last poll that requested it, or that
	 * was stopped before it.
	 */
	waitsSince: number;
	/** Why it could not be read, or compared, when it was requested last. Empty if it could, or was never requested. */
	failures: readonly Failure[];
	/** When it was read last; undefined if it never was. */
	lastReadAt: Date | undefined;
}

/** Returns whether a failure says why no site can be read. There was no time for those that were not sent, or cancelled. */
const isStopFailure = ({ stopsAll, kind }: Failure) =>
	stopsAll && kind !== 'noSlot' && kind !== 'cancelled';

export class SiteRecords {
	/** All sites, in the order of the next poll. */
	all: readonly SiteRecord[] = [];
	/**
	 * The failure that stopped a poll, perhaps after some sites, until one requests a site and is not stopped. It says nothing about a
	 * site.
	 */
	stopFailure: Failure | undefined;

	/** Watches these sites from now on. @returns them in the order of the poll: new ones, then those requested longest ago. */
	watch(sites: readonly SiteRef[], at: number): SiteRef[] {
		const watched = new Map(sites.map((site) => [site.siteId, site]));
		const earlier = this.all.flatMap((record) => {
			// Its name may have changed.
			const site = watched.get(record.site.siteId);
			if (!site) return [];
			watched.delete(site.siteId);
			// A body may be large, and only the failed execution of its own poll shows it.
			const failures = record.failures.map((failure) => ({ ...failure, body: undefined }));
			return [{ ...record, site, failures }];
		});
		const added = [...watched.values()].map((site) => ({
			site,
			wasRequested: false,
			waitsSince: at,
			failures: [],
			lastReadAt: undefined,
		}));
		this.all = [...added, ...earlier];
		return this.all.map(({ site }) => site);
	}

	/** Records the results of a poll. */
	recordResults({ fetched, failuresOf }: PollResult, beganAt: number): void {
		const stopFailure = [...failuresOf.values()].flat().find(isStopFailure);
		const updated = this.all.map((record) => {
			const { siteId } = record.site;
			const failures = failuresOf.get(siteId) ?? [];
			if (failures.some(({ stopsAll }) => stopsAll)) {
				const waitsSince = stopFailure ? beganAt : record.waitsSince;
				return { ...record, wasRequested: false, waitsSince };
			}
			const seenAt = fetched.get(siteId)?.seenAt;
			const lastReadAt = seenAt ? new Date(seenAt) : record.lastReadAt;
			return { ...record, wasRequested: true, waitsSince: beganAt, failures, lastReadAt };
		});
		this.all = [
			...updated.filter(({ wasRequested }) => !wasRequested),
			...updated.filter(({ wasRequested }) => wasRequested),
		];
		if (stopFailure || this.requestedByLastPoll.length > 0) this.stopFailure = stopFailure;
	}

	/** Returns the sites that the last poll requested. */
	get requestedByLastPoll(): readonly SiteRecord[] {
		return this.all.filter(({ wasRequested }) => wasRequested);
	}

	/** Returns the sites that were not read since this time. */
	listUnread(since: Date): SiteRecord[] {
		return this.all.filter(({ lastReadAt }) => lastReadAt === undefined || lastReadAt < since);
	}
}
