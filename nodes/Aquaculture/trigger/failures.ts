import type { Budget } from '../../../account/limit/budget';
import { describeNoPlace } from '../../../account/limit/plan';
import { MINUTE_MS } from '../../../texts/duration';
import { MESSAGES } from '../../../texts/messages';
import { isIgnored } from '../fields/ignoreMissing';
import type { PollFailure } from './failureReport';
import type { RememberedSites } from './memory';
import type { WatchedSites } from './readWatched';
import type { TriggerRecord } from './record';
import type { Setup } from './setUp';

/** If the next poll is farther away than this, sites that were not read are a failure. */
const NEAR_MS = 10 * MINUTE_MS;

/** The failure of a memory that cannot be read. */
export function memoryFailure(): PollFailure {
	return { subject: 'memory', failure: MESSAGES.trigger.forgotten() };
}

/**
 * The failures of the sites and of what names them.
 *
 * @param known what is known of the sites after the poll: it may have asked for some of them only.
 */
export function readingFailures(
	{ settings, linesLeftOut, failures }: Pick<Setup, 'settings' | 'linesLeftOut' | 'failures'>,
	reading: Pick<WatchedSites, 'seen' | 'failures'>,
	known: TriggerRecord['sites'],
): PollFailure[] {
	const { siteIds, limits } = settings;
	const lines = linesLeftOut.length > 0 ? MESSAGES.trigger.linesLeftOut(linesLeftOut) : undefined;
	const common: PollFailure[] = [
		...(lines ? [{ subject: 'settings', failure: lines } as const] : []),
		...failures,
	];
	const missing = reading.failures.filter(({ failure }) => failure.unknown);
	const others = reading.failures.filter(({ failure }) => !failure.unknown);
	const told = reading.failures.filter(({ failure }) => !isIgnored(failure, limits));
	// A trigger none of whose sites exists would wait for ever, so that is a failure, whatever the option says.
	if (siteIds.every((siteId) => known.get(siteId)?.isMissing)) {
		const failure = { ...missing[0]?.failure, ...MESSAGES.trigger.noneKnown(siteIds) };
		return [...common, { subject: 'sites', failure }, ...others];
	}
	return [...common, ...told];
}

/** What matters of a poll for the sites that it has not read. */
interface EndedPoll {
	reading: Pick<WatchedSites, 'seen' | 'asked' | 'unread'>;
	isActivation: boolean;
	/** About how long until the next poll begins, in milliseconds. */
	intervalMs: number;
	budget: Budget;
	remembered: Pick<RememberedSites, 'has'>;
}

/**
 * The failure of the sites that a poll has not read. The next poll begins with them, so they are a failure only if that is
 * far away, and after an activation only if nothing is known of them yet. An activation that could read no site at all is a
 * failure too: a person is watching.
 */
export function unreadFailures({
	reading: { asked, unread },
	isActivation,
	intervalMs,
	budget,
	remembered,
}: EndedPoll): PollFailure[] {
	if (unread.length === 0) return [];
	if (isActivation && asked.length === 0) {
		return [{ subject: 'budget', failure: describeNoPlace(budget) }];
	}
	if (intervalMs <= NEAR_MS) return [];
	const siteIds = isActivation ? unread.filter((siteId) => !remembered.has(siteId)) : unread;
	if (siteIds.length === 0) return [];
	const failure = MESSAGES.trigger.unread(siteIds, asked.length + unread.length, {
		isActivation,
		requestsPerMinute: budget.pollsPerMinute,
		polls: isActivation ? 1 : Math.ceil(unread.length / Math.max(1, asked.length)),
	});
	return [{ subject: 'time', failure }];
}
