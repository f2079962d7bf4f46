import type { IPollFunctions } from 'n8n-workflow';
import { passesByItself, type Failure } from '../messages/failure';
import { HOUR_MS, SECOND_MS } from '../utils/time';
import { listFailures, listNextSteps, toError, type ListedFailure } from './failureList';
import type { PollSetup } from './pollSetup';
import type { SiteRecords } from './siteRecords';

/* When does a failed execution start? What it says is in failureList.ts. */

/**
 * Why a failed execution starts. Each topic starts one an hour at most, so there are three an hour at most:
 *
 * - `outage`: no site can be read, which passes by itself;
 * - `toMend`: no site can be read until somebody mends the login, a setting, or the rights of the account;
 * - `sites`: single sites cannot be read, or entries of the list name none.
 */
type Topic = 'outage' | 'toMend' | 'sites';

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
		const topic = getTopic(failures, records);
		if (!topic || !this.isDue(topic, beganAt)) return;
		const nextSteps = listNextSteps(setup, records, failures);
		this.emit(context, toError(context.getNode(), failures, nextSteps), topic, beganAt);
	}

	/** Starts one for settings that cannot be used, if it is due. */
	tellSettings(context: IPollFunctions, error: Error, beganAt: number): void {
		if (this.isDue('toMend', beganAt)) this.emit(context, error, 'toMend', beganAt);
	}

	private isDue(topic: Topic, now: number): boolean {
		return now - (this.toldAt.get(topic) ?? -Infinity) >= REMINDER_MS;
	}

	/**
	 * Adds a failed execution, which n8n reports to the error workflow.
	 *
	 * A poll does not throw for what it cannot fetch: n8n would lose its items, the changes of all other sites, and would not
	 * activate a workflow while the service is down. In return n8n counts the poll as a success: in its metrics, and for its
	 * scheduler, which waits longer between polls only after exceptions (2.40).
	 */
	private emit(context: IPollFunctions, error: Error, topic: Topic, now: number): void {
		this.toldAt.set(topic, now);
		context.__emitError(error);
	}
}

function getTopic(failures: readonly ListedFailure[], records: SiteRecords): Topic | undefined {
	const causes = listCausesOfAll(failures, records);
	if (causes.length > 0) return causes.some(passesByItself) ? 'outage' : 'toMend';
	return failures.length > 0 ? 'sites' : undefined;
}

/** Lists why no site can be read, as far as the last poll tells: nothing if one can. */
function listCausesOfAll(
	failures: readonly ListedFailure[],
	{ ofLastPoll }: SiteRecords,
): Failure[] {
	const stops = failures.map(({ failure }) => failure).filter(({ stopsAll }) => stopsAll);
	if (stops.length > 0) return stops;
	const results = ofLastPoll.map((record) => record.failures);
	return results.every(({ length }) => length > 0) ? results.flat() : [];
}
