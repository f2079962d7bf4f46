import type { IPollFunctions } from 'n8n-workflow';
import { describeClosed, limitOf } from '../../../shared/budget/closed';
import { MESSAGES } from '../../../shared/messages';
import type { Transport } from '../transport/transport';
import type { PollFailure } from './failures';
import type { Rotation } from './rotation';
import { shareOf } from './share';

/** What a poll may ask for. */
export interface Pace {
	/** The sites that it may ask for, in the order in which to do so. */
	siteIds: readonly number[];
	/** How many sites must wait for a later poll. */
	deferred: number;
	/** How many sites a poll may ask for: the trigger's share of a minute, also where it polls less often. */
	sitesPerPoll: number;
}

/** Begins a poll of these sites: how many of them it may ask for, and which. */
export function paceOf(
	rotation: Rotation,
	watched: readonly number[],
	{ account: { budget } }: Transport,
): Pace {
	const order = rotation.begin(watched);
	const sitesPerPoll = shareOf(rotation, budget, budget.pollsPerMinute);
	const siteIds = order.slice(0, rotation.allowance(sitesPerPoll));
	return { siteIds, deferred: order.length - siteIds.length, sitesPerPoll };
}

/**
 * The failure of sites for which the account's budget had no place. Waiting for a later poll is not a failure, unless a
 * site is an hour late. If an activation could ask for no site at all, it is one: a person is watching.
 *
 * @param isNothingAsked whether a poll at the activation could ask for no site at all.
 */
export function paceFailures(
	{ account: { budget } }: Transport,
	{ deferred, sitesPerPoll }: Pace,
	rotation: Rotation,
	isNothingAsked: boolean,
): PollFailure[] {
	if (deferred === 0) return [];
	if (isNothingAsked) {
		return [{ subject: 'budget', failure: describeClosed(budget, { isPoll: true }) }];
	}
	const { siteIds, waitedMs } = rotation.late(sitesPerPoll);
	if (siteIds.length === 0) return [];
	return [{ subject: 'late', failure: MESSAGES.trigger.late(siteIds, waitedMs, limitOf(budget)) }];
}

/** Writes to n8n's log, once, if sites are read less often than the poll times say. */
export function logPace(
	context: IPollFunctions,
	{ account: { budget } }: Transport,
	siteIds: readonly number[],
	{ deferred, sitesPerPoll }: Pace,
	rotation: Rotation,
): void {
	const isLogged = rotation.isPaceLogged;
	const isSlow = deferred > 0 && sitesPerPoll < siteIds.length;
	rotation.isPaceLogged = isSlow;
	if (!isSlow || isLogged) return;
	const polls = Math.ceil(siteIds.length / sitesPerPoll);
	const pace = MESSAGES.log.pace(budget.pollsPerMinute, siteIds.length, polls);
	context.logger.info(`${context.getNode().name}: ${pace}`, {
		workflowId: context.getWorkflow().id,
	});
}
