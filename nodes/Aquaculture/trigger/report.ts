import type { INode, IPollFunctions, NodeApiError } from 'n8n-workflow';
import { MINUTE_MS } from '../utils/time';
import {
	LOGIN,
	MESSAGES,
	SENTENCES,
	fullDescription,
	type FailureText,
} from '../messages/messages';
import { requestError } from '../n8n/errors';
import { getCause, type Failure } from '../service/failures';
import { siteLabel, type NamedSite } from '../service/site';
import type { SiteFailure, PollFailure, Reading } from './readSites';
import type { PollSetup } from './setUp';
import type { ActivePoll } from './pollLock';
import type { FailureKey } from './reminders';
import type { TriggerState } from './state';

/**
 * Report sites that were not read for longer than this. It is a minute more than the ten that the pages promise, because polls
 * do not come at the exact second.
 */
const MAX_UNREAD_MS = 11 * MINUTE_MS;

/**
 * Reports the failures of a poll in one failed execution, if one of them was not reported within the hour.
 *
 * It does not throw: an exception would lose the changes of the other sites, and keep n8n from activating the workflow.
 */
export function report(
	context: IPollFunctions,
	state: TriggerState,
	poll: ActivePoll,
	setup: PollSetup,
	reading: Reading,
): void {
	const failures = listFailures(poll, setup, reading, (site) =>
		state.order.sinceRequestedMs(site, poll.beganAt),
	);
	const keys = failures.map(getFailureKey);
	const keysLeftOut = reading.leftOut.map(leftOutKey);
	forgetEnded(state, reading, [...keys, ...keysLeftOut]);
	if (state.reminders.shouldReport(keys)) {
		context.__emitError(createReportError(context.getNode(), failures, collectAdvice(reading)));
	}
	const unreported = reading.leftOut.filter((each) =>
		state.reminders.shouldReport([leftOutKey(each)], Infinity),
	);
	if (unreported.length > 0) reportLeftOut(context, poll, unreported);
}

/** Forgets the failures that have ended: this poll read the sites, and did not fail for the same reason. */
function forgetEnded(
	state: TriggerState,
	{ seen, notRequested }: Reading,
	current: readonly FailureKey[],
): void {
	const unreadIds = new Set(notRequested.map(({ siteId }) => siteId));
	state.reminders.forgetEnded(current, ({ siteId, isTransient }) => {
		if (siteId !== undefined) return !unreadIds.has(siteId);
		// A transient failure may still concern the sites that were not read.
		return isTransient ? unreadIds.size === 0 : seen.size > 0;
	});
}

/**
 * Lists the failures of a poll.
 *
 * @param sinceRequestedMs returns how long a site was not requested.
 */
export function listFailures(
	poll: ActivePoll,
	setup: PollSetup,
	reading: Reading,
	sinceRequestedMs: (site: NamedSite) => number = () => 0,
): PollFailure[] {
	const { unusable, sites } = setup;
	const { notRequested } = reading;
	const failures = [...unusable.map((failure) => ({ failure })), ...reading.failures];
	const overdue = notRequested.filter((site) => sinceRequestedMs(site) > MAX_UNREAD_MS);
	const nothingRequested = notRequested.length === sites.length;
	if (nothingRequested && (poll.isInteractive || overdue.length > 0)) {
		failures.push({ failure: describeNothingRequested(poll, setup) });
	} else if (overdue.length > 0) {
		failures.push({ failure: MESSAGES.trigger.unread(overdue.map(siteLabel), sites.length) });
	}
	return failures;
}

/** Says why no site was requested. */
function describeNothingRequested(
	{ beganAt, endsAt }: ActivePoll,
	{ client }: PollSetup,
): FailureText {
	const { limiter, tokens } = client.account;
	const limit = limiter.describeLimit(client.queue);
	return tokens.current === undefined && limit.delayMs === 0
		? MESSAGES.limits.tookTooLong(LOGIN, endsAt - beganAt)
		: MESSAGES.trigger.noSlot(limit);
}

/** Identifies a failure. A transient one does not depend on the site: while the service is down, each poll fails for different sites. */
function getFailureKey({ site, failure }: PollFailure): FailureKey {
	const cause = getCause(failure);
	if (failure.kind === 'transient') return { key: cause, isTransient: true };
	return site ? { key: `${site.siteId} ${cause}`, siteId: site.siteId } : { key: cause };
}

function leftOutKey({ site: { siteId } }: SiteFailure): FailureKey {
	return { key: `left out ${siteId}`, siteId };
}

/** Creates one error of all failures: a line for each, then each advice once. It has the status and body of the first failure. */
export function createReportError(
	node: INode,
	failures: readonly PollFailure[],
	advice: readonly string[] = [],
): NodeApiError {
	const [{ failure: first }] = failures as [PollFailure];
	const names = failures.flatMap(({ site }) => (site ? siteLabel(site) : []));
	const message = names.length > 1 ? MESSAGES.trigger.several(names) : first.message;
	const lines =
		failures.length > 1 ? SENTENCES.failureLines(failures.map(({ failure }) => failure)) : [];
	const descriptions =
		failures.length > 1
			? failures.map(({ failure }) => failure.remedy ?? failure.description)
			: [fullDescription(first)];
	const sentences = [...new Set([...descriptions, ...advice])].join(' ');
	const description = [...lines, sentences].join('\n');
	return requestError(node, { ...first, message, description, traceId: undefined });
}

function collectAdvice({ seen, failures }: Reading): string[] {
	const isForbidden = failures.some(({ failure }) => failure.kind === 'forbidden');
	return [
		...(seen.size > 0 && isForbidden ? [SENTENCES.leaveOut()] : []),
		...(seen.size > 0 ? [SENTENCES.othersWatched()] : []),
		SENTENCES.nextPoll(),
	];
}

/** Reports the sites that 'Ignore Missing Sites' leaves out, in n8n's log and to a person who activates the workflow. */
function reportLeftOut(
	context: IPollFunctions,
	{ isInteractive }: ActivePoll,
	leftOut: readonly SiteFailure[],
): void {
	const namesWithKind = (kind: Failure['kind']) =>
		leftOut.filter(({ failure }) => failure.kind === kind).map(({ site }) => siteLabel(site));
	const message = MESSAGES.trigger.leftOut(namesWithKind('forbidden'), namesWithKind('notFound'));
	const node = context.getNode();
	context.logger.warn(`${node.name}: ${message}`, { workflowId: context.getWorkflow().id });
	if (isInteractive) context.__emitError(requestError(node, { message, description: '' }));
}
