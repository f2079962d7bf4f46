import type { IPollFunctions } from 'n8n-workflow';
import { absentParts } from '../../../api/document';
import { siteDocument } from '../../../api/site';
import { LastUsed } from '../../../account/lruCache';
import type { RememberedSites } from './memory';
import { PollGuard } from './pollGuard';
import type { WatchedSites } from './readWatched';
import type { Settings } from './settings';
import { watchedIncludes } from './watch';

/** What this process knows of a trigger beside what n8n stores. */
export interface TriggerRecord {
	guard: PollGuard;
	/** When the last poll began, by the clock of `performance.now()`. */
	polledAt: number | undefined;
	/** The watched sites that were asked for, by their IDs, in the order in which they were asked for last. */
	sites: ReadonlyMap<number, SiteRecord>;
	/** Whether polls that come soon after each other do not read all sites. */
	isLeavingOut: boolean;
}

/** What this process knows of a site. */
export interface SiteRecord {
	/** Whether the service did not know it when it answered last. */
	isMissing: boolean;
	/** The watched parts that the service did not send when the site was read last. */
	absentParts: readonly string[];
}

const MAX_TRIGGERS = 1000;

const triggers = new LastUsed<TriggerRecord>(
	MAX_TRIGGERS,
	() => {
		return { guard: new PollGuard(), polledAt: undefined, sites: new Map(), isLeavingOut: false };
	},
	({ guard }) => !guard.isBusy,
);

export function recordOf(context: IPollFunctions): TriggerRecord {
	// By name, which is unique in a workflow: n8n 1.123 activates triggers that share an ID.
	return triggers.get(`${context.getWorkflow().id}/${context.getNode().name}`);
}

/**
 * The order in which a trigger reads its sites: first those that this process has not asked for, the one that was read
 * longest ago before the others, then the one that it asked for longest ago.
 */
export function readingOrder(
	siteIds: readonly number[],
	sites: TriggerRecord['sites'],
	remembered: Pick<RememberedSites, 'readAt'>,
): number[] {
	const readAt = (siteId: number) => remembered.readAt(siteId) ?? 0;
	const watched = new Set(siteIds);
	return [
		...siteIds
			.filter((siteId) => !sites.has(siteId))
			.toSorted((one, other) => readAt(one) - readAt(other)),
		...[...sites.keys()].filter((siteId) => watched.has(siteId)),
	];
}

/** What is known of the watched sites after a poll has read some of them. */
export function recordsAfter(
	before: TriggerRecord['sites'],
	{ siteIds, watch }: Pick<Settings, 'siteIds' | 'watch'>,
	{ seen, asked, failures }: Pick<WatchedSites, 'seen' | 'asked' | 'failures'>,
): Map<number, SiteRecord> {
	const { parts = [] } = siteDocument(0, watchedIncludes(watch));
	const missing = new Set<unknown>(
		failures.filter(({ failure }) => failure.unknown).map(({ subject }) => subject),
	);
	const recordAfter = (siteId: number): SiteRecord => {
		const old = before.get(siteId);
		const site = seen.get(siteId)?.site;
		return {
			isMissing: !site && (missing.has(siteId) || old?.isMissing === true),
			absentParts: site ? absentParts({ parts }, site) : (old?.absentParts ?? []),
		};
	};
	const [watched, askedNow] = [new Set(siteIds), new Set(asked)];
	const others = [...before.keys()].filter(
		(siteId) => watched.has(siteId) && !askedNow.has(siteId),
	);
	return new Map([...others, ...asked].map((siteId) => [siteId, recordAfter(siteId)]));
}
