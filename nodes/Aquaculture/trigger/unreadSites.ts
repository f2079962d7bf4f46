import type { IPollFunctions } from 'n8n-workflow';
import type { Budget } from '../../../account/limit/budget';
import { describeNoPlace } from '../../../account/limit/plan';
import { MINUTE_MS } from '../../../shared/duration';
import { MESSAGES } from '../../../shared/messages';
import type { PollFailure } from './failureReport';
import type { RememberedSites } from './memory';
import type { WatchedSites } from './readWatched';

/** Where the next poll is farther away than this, sites that were not read are a failure. */
const NEAR_MS = 10 * MINUTE_MS;

/** A poll that is over, as far as it matters for the sites that it has not read. */
interface EndedPoll extends Pick<WatchedSites, 'asked' | 'unread'> {
	isActivation: boolean;
	/** How long until the next poll begins, in milliseconds. */
	nextInMs: number;
	budget: Budget;
	remembered: Pick<RememberedSites, 'has'>;
}

/**
 * The failure of the sites that a poll has not read. The next poll begins with them, so they are a failure only where that is
 * far away, and after an activation only if nothing is known of them yet. An activation that could read no site at all is a
 * failure too: a person is watching.
 */
export function unreadFailures(poll: EndedPoll): PollFailure[] {
	const { asked, unread, isActivation, nextInMs, budget, remembered } = poll;
	if (unread.length === 0) return [];
	if (isActivation && asked.length === 0) {
		return [{ subject: 'budget', failure: describeNoPlace(budget) }];
	}
	if (nextInMs <= NEAR_MS) return [];
	const siteIds = isActivation ? unread.filter((siteId) => !remembered.has(siteId)) : unread;
	if (siteIds.length === 0) return [];
	const failure = MESSAGES.trigger.unread(siteIds, asked.length + unread.length, {
		...{ isActivation, nextInMs, requestsPerMinute: budget.pollsPerMinute },
		polls: isActivation ? 1 : Math.ceil(unread.length / Math.max(1, asked.length)),
	});
	return [{ subject: 'time', failure }];
}

/**
 * Writes to n8n's log, once, that polls which come soon after each other do not read all sites.
 *
 * @param isLogged whether the log says so.
 * @returns the same from now on.
 */
export function logUnread(
	context: IPollFunctions,
	{ asked, unread, nextInMs, isActivation }: EndedPoll,
	isLogged: boolean,
): boolean {
	if (unread.length === 0) return false;
	if (isLogged || isActivation || nextInMs > NEAR_MS) return isLogged;
	const sites = asked.length + unread.length;
	const message = MESSAGES.log.unread(unread.length, sites);
	context.logger.info(`${context.getNode().name}: ${message}`, {
		workflowId: context.getWorkflow().id,
	});
	return true;
}
