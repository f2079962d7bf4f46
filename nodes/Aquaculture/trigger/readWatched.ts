import { siteDocument } from '../../../service/siteAnswer';
import { SECOND_MS } from '../../../texts/duration';
import { MESSAGES } from '../../../texts/messages';
import { causeOf } from '../requests/failure';
import { readDocuments } from '../requests/readDocuments';
import type { RequestLimits } from '../requests/retryingReader';
import type { Transport } from '../requests/transport';
import type { SeenSite } from './changeItem';
import type { PollFailure } from './failureReport';
import { LONGEST_SITE, type Settings } from './settings';
import { watchedIncludes } from './watch';

/** Waiting for the account's budget ends this long before the end of the poll, so that a request has time for its answer. */
const RESERVE_MS = SECOND_MS;

/** The watched sites after a poll has asked for them. */
export interface WatchedSites {
	/** The sites that were read, by their IDs. */
	seen: ReadonlyMap<number, SeenSite>;
	failures: readonly PollFailure[];
	/** The sites that were read or failed, in the order in which they were asked for. */
	asked: readonly number[];
	/** The other sites: the account's budget had no place for them in time. None if all fail for the same cause. */
	unread: readonly number[];
}

/** The time of a poll. */
export interface TimeLimits {
	/** When it ends, by the clock of `performance.now()`. */
	endsAt: number;
	/** How long it may wait for the account's budget, in milliseconds; left out: as long as it has time. */
	patienceMs?: number | undefined;
}

/** How documents are read in a poll. */
export function limitsWithin<Limits extends RequestLimits>(
	{ endsAt, patienceMs = Infinity }: TimeLimits,
	limits: Limits,
): Limits {
	const now = performance.now();
	const longestMs = LONGEST_SITE * (endsAt - now);
	const waitMs = Math.max(0, Math.min(endsAt - now - RESERVE_MS, patienceMs));
	return {
		...limits,
		timeoutMs: Math.min(limits.timeoutMs, longestMs),
		maxTimeMs: Math.min(limits.maxTimeMs, longestMs),
		waitEndsAt: now + waitMs,
	};
}

/**
 * Reads the watched sites within the time of a poll.
 *
 * @param order the watched sites in the order in which they are asked for.
 */
export async function readWatched(
	transport: Transport,
	{ watch, dataVersion, limits }: Omit<Settings, 'siteIds'>,
	order: readonly number[],
	time: TimeLimits,
): Promise<WatchedSites> {
	const includes = watchedIncludes(watch);
	const requests = order.map((siteId) => {
		return { ...siteDocument(siteId, includes), dataVersion, siteId };
	});
	const seen = new Map<number, SeenSite>();
	const shared: PollFailure[] = [];
	const ofSites: PollFailure[] = [];
	const asked = new Set<number>();

	const limitsOfPoll = limitsWithin(time, limits);
	await readDocuments(transport, requests, limitsOfPoll, ({ siteId }, { value, failure }) => {
		if (failure?.noPlace || failure?.cancelled) return;
		asked.add(siteId);
		if (value) {
			seen.set(siteId, { siteId, site: value.json, seenAt: new Date().toISOString() });
		} else if (!failure.accountWide) {
			ofSites.push({ subject: siteId, failure });
		} else if (shared.length === 0) {
			shared.push({ subject: 'login', failure });
		}
	});
	const isAsked = (siteId: number) => asked.has(siteId);
	const read = { seen, asked: order.filter(isAsked) };
	if (shared.length > 0) return { ...read, failures: [...shared, ...ofSites], unread: [] };
	const down = seen.size === 0 ? serviceFailure(order.length, ofSites) : undefined;
	if (down) return { ...read, failures: [down], unread: [] };
	return { ...read, failures: ofSites, unread: order.filter((siteId) => !isAsked(siteId)) };
}

/** The failure of all sites if those that were asked for say that the service is down; undefined if they do not. */
export function serviceFailure(
	count: number,
	failures: readonly PollFailure[],
): PollFailure | undefined {
	const [first] = failures;
	if (count === 1 || !first?.failure.retryable) return undefined;
	const cause = causeOf(first.failure);
	if (failures.some(({ failure }) => causeOf(failure) !== cause)) return undefined;
	const text = MESSAGES.trigger.noneRead(count, `site ${first.subject}`, first.failure);
	return { subject: 'sites', failure: { ...first.failure, ...text, cause } };
}
