import { siteDocument } from '../../../api/documents';
import { isUnknownSite } from '../transport/failure';
import { readDocuments } from '../transport/readDocuments';
import type { Transport } from '../transport/transport';
import type { PollFailure } from './failures';
import type { Settings } from './fields';
import type { Sighting } from './items';
import { watchedIncludes } from './watch';

/** Time for all sites, in milliseconds. n8n gives up on a poll after 45 seconds (n8n 2.40). */
const POLL_MS = 28_000;

/** What came of reading the watched sites. */
export interface Findings {
	/** The sites that were read, by their IDs. */
	sightings: ReadonlyMap<number, Sighting>;
	/** What several sites have in common first. */
	failures: readonly PollFailure[];
	/** Those for which there was no time, in the order in which they wait. */
	unread: readonly number[];
}

/**
 * Reads the watched sites within the time of a poll.
 *
 * @param waiting the sites for which the last poll had no time: they come first.
 * @param budgetMs how long n8n waits for the poll, where it says so.
 */
export async function readWatched(
	transport: Transport,
	{ siteIds, watch, dataVersion, reading: limits }: Settings,
	waiting: readonly number[],
	budgetMs = POLL_MS,
): Promise<Findings> {
	const order = [...waiting.filter((siteId) => siteIds.includes(siteId)), ...siteIds];
	const includes = watchedIncludes(watch);
	const requests = [...new Set(order)].map((siteId) => ({
		...siteDocument(siteId, includes),
		dataVersion,
		siteId,
	}));
	const sightings = new Map<number, Sighting>();
	const failures = new Map<string, PollFailure>();
	const cutOff = new Set<number>();

	const timeMs = Math.min(POLL_MS, budgetMs);
	const endDeadline = transport.deadlines.begin(timeMs, transport.cancellation.cancel);
	await readDocuments(transport, requests, limits, ({ siteId }, { answer, failure }) => {
		if (answer) {
			sightings.set(siteId, { siteId, site: answer.json, seenAt: new Date().toISOString() });
		} else if (failure.cancelled) {
			cutOff.add(siteId);
		} else if (!(limits.ignoreMissing && isUnknownSite(failure))) {
			const isShared = failure.accountWide ?? false;
			const subject = isShared ? 'account' : `${siteId}`;
			failures.set(subject, { subject, isShared, failure });
		}
	});
	endDeadline();

	if (cutOff.size > 0) failures.set('time', outOfTime(cutOff.size, requests.length, timeMs));
	const unread = requests.map(({ siteId }) => siteId).filter((siteId) => cutOff.has(siteId));
	const sorted = [...failures.values()].sort(
		(one, other) => Number(other.isShared) - Number(one.isShared),
	);
	return { sightings, failures: sorted, unread };
}

function outOfTime(count: number, total: number, timeMs: number): PollFailure {
	return {
		subject: 'time',
		isShared: true,
		failure: {
			message: `${count} of ${total} sites could not be read within ${timeMs / 1000} seconds`,
			description:
				'They come first in the next poll. If it happens often, raise Concurrent Requests under Options, or watch fewer sites with one trigger.',
		},
	};
}
