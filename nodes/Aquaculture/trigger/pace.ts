import type { IPollFunctions } from 'n8n-workflow';
import { describeClosed, limitOf } from '../../../shared/budget/closed';
import { MESSAGES } from '../../../shared/messages';
import type { Transport } from '../transport/transport';
import type { PollFailure } from './failures';
import type { Settings } from './fields';
import type { Findings } from './readWatched';
import type { Rotation } from './rotation';

/** What came of a poll, and of its part of what the account may send. */
interface Reading extends Findings {
	/** How many sites the trigger may ask for in a minute. */
	sitesPerMinute: number;
}

/**
 * What is told of sites that the account's budget had no place for. That they wait for a later poll is no failure, unless
 * they have waited for an hour longer than planned. At the activation of a workflow a person wants to know.
 */
export function turnFailures(
	{ budget, lane }: Transport,
	{ asked, withoutTurn, sitesPerMinute }: Reading,
	rotation: Rotation,
	isActivation: boolean,
): PollFailure[] {
	if (withoutTurn === 0) return [];
	if (isActivation && asked.length === 0) {
		return [{ subject: 'budget', isShared: true, failure: describeClosed(budget, lane) }];
	}
	const late = rotation.late(sitesPerMinute);
	return late.siteIds.length === 0
		? []
		: [
				{
					subject: 'late',
					isShared: true,
					failure: MESSAGES.trigger.late(late.siteIds, late.waitedMs, limitOf(budget)),
				},
			];
}

/** Tells once in n8n's log where sites are read less often than the poll times say. */
export function tellPace(
	context: IPollFunctions,
	{ budget, lane }: Transport,
	{ siteIds }: Settings,
	{ withoutTurn, sitesPerMinute }: Reading,
	rotation: Rotation,
): void {
	const isTold = rotation.isPaceTold;
	rotation.isPaceTold = withoutTurn > 0;
	if (withoutTurn === 0 || isTold) return;
	const polls = Math.ceil(siteIds.length / sitesPerMinute);
	const pace = MESSAGES.log.pace(budget.requestsPerMinute(lane), siteIds.length, polls);
	context.logger.info(`${context.getNode().name}: ${pace}`, {
		workflowId: context.getWorkflow().id,
	});
}
