import { siteDocument } from '../../../api/site';
import { MESSAGES } from '../../../shared/messages';
import { readDocuments } from '../transport/readDocuments';
import type { Transport } from '../transport/transport';
import type { PollFailure } from './failures';
import type { Settings } from './fields';
import type { SiteReading } from './items';
import type { Subject } from './memory';
import { watchedIncludes } from './watch';

/** Time for all sites, in milliseconds. n8n gives up on a poll after 45 seconds (n8n 2.40). */
const POLL_MS = 28_000;
/** Waiting for the account's budget ends this long before the end of the poll, so that a request has time for its answer. */
const RESERVE_MS = 1_000;

/** What came of reading the watched sites. */
export interface ReadingResult {
	/** The sites that were read, by their IDs. */
	readings: ReadonlyMap<number, SiteReading>;
	failures: readonly PollFailure[];
	/** The sites that were read or failed. */
	asked: readonly number[];
	/** How many sites the account's budget had no place for. */
	deferred: number;
}

/** The time of a poll. */
interface PollTime {
	/** How long n8n waits for the poll, in milliseconds, where it says so. */
	allowedMs?: number | undefined;
	/** How long the poll may wait for the account's budget, in milliseconds; left out: as long as the poll has time. */
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
	{ allowedMs = POLL_MS, patienceMs = Infinity }: PollTime = {},
): Promise<ReadingResult> {
	const includes = watchedIncludes(watch);
	const requests = order.map((siteId) => {
		return { ...siteDocument(siteId, includes), dataVersion, siteId };
	});
	const readings = new Map<number, SiteReading>();
	const shared = new Map<Subject, PollFailure>();
	const ofSites: PollFailure[] = [];
	const asked: number[] = [];
	let cutOff = 0;

	const timeMs = Math.min(POLL_MS, allowedMs);
	const waitEndsAt = performance.now() + Math.min(timeMs - RESERVE_MS, patienceMs);
	transport.cancellation.cancelAfter(timeMs);
	const waiting = { ...limits, waitEndsAt };
	await readDocuments(transport, requests, waiting, ({ siteId }, { value: answer, failure }) => {
		if (failure?.noPlace) return;
		if (failure?.cancelled) {
			cutOff += 1;
			return;
		}
		asked.push(siteId);
		if (answer) {
			readings.set(siteId, { siteId, site: answer.json, seenAt: new Date().toISOString() });
		} else if (failure.accountWide) {
			shared.set('account', { subject: 'account', failure });
		} else {
			ofSites.push({ subject: siteId, failure });
		}
	});

	if (cutOff > 0) {
		const failure = MESSAGES.trigger.cutOff(cutOff, order.length, timeMs);
		shared.set('time', { subject: 'time', failure });
	}
	const deferred = order.length - asked.length - cutOff;
	return { readings, failures: [...shared.values(), ...ofSites], asked, deferred };
}
