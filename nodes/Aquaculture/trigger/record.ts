import type { IPollFunctions } from 'n8n-workflow';
import { LruCache } from '../../../account/lruCache';
import type { RememberedSites } from './memory';
import { PollGuard } from './pollGuard';
import type { WatchedSites } from './readWatched';

/** What this process knows of a trigger beside what n8n stores. */
export interface TriggerRecord {
	guard: PollGuard;
	/** When the last poll began, by the clock of `performance.now()`. */
	polledAt: number | undefined;
	/** The watched sites that were asked for, by their IDs, in the order in which they were asked for last. */
	sites: ReadonlyMap<number, SiteRecord>;
}

/** What this process knows of a site. */
export interface SiteRecord {
	/** Whether the service did not know it when it answered last. */
	isMissing: boolean;
}

const MAX_TRIGGERS = 1000;

const triggers = new LruCache<TriggerRecord>(
	MAX_TRIGGERS,
	() => {
		return { guard: new PollGuard(), polledAt: undefined, sites: new Map() };
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
	siteIds: readonly number[],
	{ seen, asked, failures }: Pick<WatchedSites, 'seen' | 'asked' | 'failures'>,
): Map<number, SiteRecord> {
	const missing = new Set<unknown>(
		failures.filter(({ failure }) => failure.unknown).map(({ subject }) => subject),
	);
	const isMissing = (siteId: number) =>
		!seen.has(siteId) && (missing.has(siteId) || before.get(siteId)?.isMissing === true);
	const [watched, askedNow] = [new Set(siteIds), new Set(asked)];
	const others = [...before.keys()].filter(
		(siteId) => watched.has(siteId) && !askedNow.has(siteId),
	);
	return new Map([...others, ...asked].map((siteId) => [siteId, { isMissing: isMissing(siteId) }]));
}
