import { siteDocument } from '../../../api/site';
import { SECOND_MS } from '../../../shared/duration';
import { readDocuments } from '../transport/readDocuments';
import type { Transport } from '../transport/transport';
import type { PollFailure } from './failures';
import { SHARE_OF_SITE, type Settings } from './fields';
import type { SiteReading } from './items';
import { watchedIncludes } from './watch';

/** Waiting for the account's budget ends this long before the end of the poll, so that a request has time for its answer. */
const RESERVE_MS = SECOND_MS;

/** What came of reading the watched sites. */
export interface ReadingResult {
	/** The sites that were read, by their IDs. */
	readings: ReadonlyMap<number, SiteReading>;
	failures: readonly PollFailure[];
	/** The sites that were read or failed. */
	asked: readonly number[];
	/** The sites for which the account's budget had no place, or that had no time. */
	unread: readonly number[];
}

/** The time of a poll. */
interface ReadingTime {
	/** How long it may take, in milliseconds. */
	allowedMs: number;
	/** How long it may wait for the account's budget, in milliseconds; left out: as long as it has time. */
	patienceMs?: number | undefined;
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
	{ allowedMs, patienceMs = Infinity }: ReadingTime,
): Promise<ReadingResult> {
	const includes = watchedIncludes(watch);
	const requests = order.map((siteId) => {
		return { ...siteDocument(siteId, includes), dataVersion, siteId };
	});
	const readings = new Map<number, SiteReading>();
	const shared: PollFailure[] = [];
	const ofSites: PollFailure[] = [];
	const asked: number[] = [];
	const unread: number[] = [];

	transport.cancellation.cancelAfter(allowedMs);
	const longestMs = SHARE_OF_SITE * allowedMs;
	const limitsOfPoll = {
		...limits,
		timeoutMs: Math.min(limits.timeoutMs, longestMs),
		maxTimeMs: Math.min(limits.maxTimeMs, longestMs),
		waitEndsAt: performance.now() + Math.min(allowedMs - RESERVE_MS, patienceMs),
		takesWhatIsFree: !transport.isPoll,
	};
	await readDocuments(transport, requests, limitsOfPoll, ({ siteId }, { value, failure }) => {
		if (failure?.noPlace || failure?.cancelled) {
			unread.push(siteId);
			return;
		}
		asked.push(siteId);
		if (value) {
			readings.set(siteId, { siteId, site: value.json, seenAt: new Date().toISOString() });
		} else if (!failure.accountWide) {
			ofSites.push({ subject: siteId, failure });
		} else if (shared.length === 0) {
			shared.push({ subject: 'account', failure });
		}
	});
	return { readings, failures: [...shared, ...ofSites], asked, unread };
}
