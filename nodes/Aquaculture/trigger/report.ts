import type { INode, IPollFunctions, NodeApiError } from 'n8n-workflow';
import { systemClock } from '../utils/clock';
import { HOUR_MS, MINUTE_MS } from '../utils/time';
import { addNote, failureLines, MESSAGES, SENTENCES } from '../messages/messages';
import { requestError } from '../n8n/errors';
import { startFailedExecution } from '../polling/failedExecution';
import { identifyFailure, isTransient } from '../service/failures';
import { shortSiteLabel } from '../service/site';
import type { PollResult } from './fetchSites';
import { listFailures, listLeftOut, type PollFailure } from './listFailures';
import type { PollSetup } from './pollSetup';

/** Reports the failures of a poll in one failed execution, if one of them was not reported within the hour. */
export function report(
	context: IPollFunctions,
	reminders: Reminders,
	setup: PollSetup,
	result: PollResult,
): void {
	const node = context.getNode();
	const failures = listFailures(setup, result);
	const keys = failures.map(getFailureKey);
	const unfinishedIds = new Set(result.unfinished.map(({ site }) => site.siteId));
	reminders.forgetEnded(keys, ({ siteId }) =>
		siteId === undefined ? unfinishedIds.size === 0 : !unfinishedIds.has(siteId),
	);
	if (reminders.shouldReport(keys)) {
		const nextSteps = listNextSteps(setup, result);
		startFailedExecution(context, createReportError(node, failures, nextSteps));
	}
	const leftOut = listLeftOut(setup, result);
	if (setup.poll.kind === 'activation' && leftOut.length > 0) {
		const text = MESSAGES.trigger.leftOut(leftOut.map(shortSiteLabel));
		startFailedExecution(context, requestError(node, text));
	}
}

/** Report a continuing failure once an hour. The poll of the next hour may come a little early. */
const REMINDER_MS = HOUR_MS - MINUTE_MS;

/** Identifies a failure while it continues. */
export interface FailureKey {
	key: string;
	/** Absent if the failure is not that of one site. */
	siteId?: number;
}

/** Remembers which failures of a trigger were reported: otherwise each poll would start a failed execution. */
export class Reminders {
	private readonly reported = new Map<string, FailureKey & { at: number }>();

	/** Returns whether one of the failures was not reported within the hour. Then all of them count as reported. */
	shouldReport(failures: readonly FailureKey[]): boolean {
		const now = systemClock.now();
		const isDue = ({ key }: FailureKey) =>
			now - (this.reported.get(key)?.at ?? -Infinity) >= REMINDER_MS;
		if (!failures.some(isDue)) return false;
		for (const each of failures) this.reported.set(each.key, { ...each, at: now });
		return true;
	}

	/** Forgets the failures that have ended, so that they are reported if they come back. */
	forgetEnded(current: readonly FailureKey[], hasEnded: (failure: FailureKey) => boolean): void {
		const continuing = new Set(current.map(({ key }) => key));
		for (const each of this.reported.values()) {
			if (!continuing.has(each.key) && hasEnded(each)) this.reported.delete(each.key);
		}
	}
}

/** Identifies a failure. A transient one has no site: while the service is down, each poll fails for other sites. */
function getFailureKey({ site, failure }: PollFailure): FailureKey {
	const cause = identifyFailure(failure);
	if (!site || isTransient(failure)) return { key: cause };
	return { key: `${site.siteId} ${cause}`, siteId: site.siteId };
}

/**
 * Creates one error of all failures: a line for each, then what to do. It has the status and body of the first failure.
 *
 * @param nextSteps sentences on what becomes of the sites.
 */
export function createReportError(
	node: INode,
	failures: readonly PollFailure[],
	nextSteps: readonly string[] = [],
): NodeApiError {
	const [{ failure: first }, ...others] = failures as [PollFailure, ...PollFailure[]];
	if (others.length === 0) return requestError(node, addNote(first, ...nextSteps));
	// A site fails twice if neither its info nor its units can be compared.
	const names = [...new Set(failures.flatMap(({ site }) => (site ? shortSiteLabel(site) : [])))];
	const message = names.length > 1 ? MESSAGES.trigger.several(names) : first.message;
	const lines = failureLines(failures.map(({ failure }) => failure));
	const advice = failures.flatMap(({ failure }) => [failure.description, failure.note ?? '']);
	const sentences = [...new Set(advice), ...nextSteps].filter(Boolean).join(' ');
	const inLines = { note: undefined, serviceMessage: undefined, traceId: undefined };
	const description = [...lines, sentences].join('\n');
	return requestError(node, { ...first, ...inLines, message, description });
}

/** Says what becomes of the sites. A forbidden one may stay so, and must not look as if the trigger had stopped. */
function listNextSteps({ settings }: PollSetup, { fetched, failed }: PollResult): string[] {
	const forbidden = failed.filter(({ failure }) => failure.kind === 'forbidden').length;
	const failedIds = new Set(failed.map(({ site }) => site.siteId));
	const areOthersWatched = [...fetched.keys()].some((siteId) => !failedIds.has(siteId));
	if (!areOthersWatched) return [SENTENCES.nextPoll()];
	if (forbidden === 0) return [SENTENCES.othersWatched(), SENTENCES.nextPoll()];
	return [SENTENCES.triedAgain(forbidden), SENTENCES.removeGone(forbidden, settings.sitesChoice)];
}
