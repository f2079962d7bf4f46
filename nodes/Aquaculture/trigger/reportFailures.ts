import type { INode, IPollFunctions, NodeApiError } from 'n8n-workflow';
import { addNote, failureLines, MESSAGES, SENTENCES } from '../messages/messages';
import { requestError } from '../n8n/errors';
import { startFailedExecution } from '../polling/failedExecution';
import { identifyFailure } from '../service/failures';
import { isTransient } from '../service/retry';
import { shortSiteLabel } from '../service/site';
import type { PollResult } from './fetchSites';
import { listFailures, listLeftOut, type PollFailure } from './listFailures';
import type { PollSetup } from './pollSetup';
import type { FailureKey, Reminders } from './reminders';

/** Reports the failures of a poll, in one failed execution. */
export function reportFailures(
	context: IPollFunctions,
	reminders: Reminders,
	setup: PollSetup,
	result: PollResult,
): void {
	const failures = listFailures(setup, result);
	const keys = failures.map(getFailureKey);
	reminders.forgetEnded(keys, new Set(result.unfinished.map(({ site }) => site.siteId)));
	if (failures.length === 0) return;
	// An entry that names no site stays so until somebody corrects it.
	const areEntriesAlone = failures.length === setup.unusableEntries.length;
	const nextSteps = areEntriesAlone ? [SENTENCES.othersWatched()] : listNextSteps(setup, result);
	reminders.report(context, keys, createReportError(context.getNode(), failures, nextSteps));
}

/** Reports which sites 'Ignore Missing Sites' leaves out. */
export function reportLeftOut(context: IPollFunctions, setup: PollSetup, result: PollResult): void {
	const leftOut = listLeftOut(setup, result);
	if (leftOut.length === 0) return;
	const text = MESSAGES.trigger.leftOut(leftOut.map(shortSiteLabel));
	startFailedExecution(context, requestError(context.getNode(), text));
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
	const shared = failures.find(({ failure }) => failure.kind === 'stopsAll');
	const several = names.length > 1 ? MESSAGES.trigger.several(names) : first.message;
	const message = shared?.failure.message ?? several;
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
