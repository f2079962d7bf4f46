import type { IPollFunctions } from 'n8n-workflow';
import { passesByItself } from '../messages/failure';
import { HOUR_MS, SECOND_MS } from '../utils/time';
import { listFailures, listNextSteps, toError, type ListedFailure } from './failureList';
import type { PollSetup } from './pollSetup';
import type { SiteRecords } from './siteRecords';

/* When does a failed execution start? What it says is in failureList.ts. */

/**
 * Why a failed execution starts. Each topic starts one an hour at most, so there are four an hour at most:
 *
 * - `outage`: no site can be read, which passes by itself;
 * - `toMend`: no site can be read until somebody mends the login, a setting, or the rights of the account;
 * - `sites`: single sites cannot be read, or entries of the list name none;
 * - `newSites`: of these, there are some that people have not been told of.
 */
type Topic = 'outage' | 'toMend' | 'sites' | 'newSites';

/** Polls come a little earlier or later than an hour after another. */
const REMINDER_MS = HOUR_MS - 30 * SECOND_MS;

/** Starts the failed executions of a trigger. Each tells all that fails, whatever it starts for. */
export class FailedExecutions {
	/** By the monotonic clock. */
	private readonly toldAt = new Map<Topic, number>();

	/** Starts one for what fails after a poll, if it is due. */
	tell(context: IPollFunctions, setup: PollSetup, records: SiteRecords): void {
		const { beganAt } = setup.poll;
		const failures = listFailures(setup, records);
		const topics = listTopics(failures, records);
		if (!this.isDue(topics, beganAt)) return;
		records.recordTold(failures.flatMap(({ sites }) => sites));
		const nextSteps = listNextSteps(setup, records, failures);
		const error = toError(context.getNode(), failures, nextSteps);
		// Single sites need no reminder within an hour of any failed execution, because it has told of them, too.
		this.start(context, error, [...topics, 'sites'], beganAt);
	}

	/** Starts one for settings that cannot be used, if it is due. */
	tellSettings(context: IPollFunctions, error: Error, beganAt: number): void {
		if (this.isDue(['toMend'], beganAt)) this.start(context, error, ['toMend'], beganAt);
	}

	private isDue(topics: readonly Topic[], now: number): boolean {
		return topics.some((topic) => now - (this.toldAt.get(topic) ?? -Infinity) >= REMINDER_MS);
	}

	/**
	 * Adds a failed execution, which n8n reports to the error workflow.
	 *
	 * A poll does not throw for what it cannot fetch: n8n would lose its items, the changes of all other sites, and would not
	 * activate a workflow while the service is down. In return n8n counts the poll as a success: in its metrics, and for its
	 * scheduler, which waits longer between polls only after exceptions (2.40).
	 */
	private start(
		context: IPollFunctions,
		error: Error,
		topics: readonly Topic[],
		now: number,
	): void {
		for (const topic of topics) this.toldAt.set(topic, now);
		context.__emitError(error);
	}
}

function listTopics(failures: readonly ListedFailure[], { causesOfAll }: SiteRecords): Topic[] {
	if (causesOfAll.length > 0) return [causesOfAll.some(passesByItself) ? 'outage' : 'toMend'];
	if (failures.length === 0) return [];
	const areNew = failures.some(({ sites }) => sites.some(({ isTold }) => !isTold));
	return areNew ? ['sites', 'newSites'] : ['sites'];
}
