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
import type { ActivePoll } from './activePoll';
import type { FailureKey } from './reminders';
import type { TriggerState } from './state';

/**
 * Sites that were not read for longer count as failed, and so do those that a rarer poll did not read. It is a minute more
 * than the ten that the pages promise, because polls do not come at the exact second.
 */
const MAX_UNREAD_MS = 11 * MINUTE_MS;

/**
 * Reports what failed: at an activation immediately, later if it was not reported within the hour. One failed execution
 * names all failures of the poll.
 *
 * It is not thrown: an exception would lose the changes of the other sites, and keep n8n from activating the workflow.
 */
export function report(
	context: IPollFunctions,
	state: TriggerState,
	poll: ActivePoll,
	setup: PollSetup,
	reading: Reading,
): void {
	const failures = listFailures(poll, setup, reading, (site) =>
		state.order.unreadMs(site, poll.beganAt),
	);
	const keys = failures.map(getFailureKey);
	const keysLeftOut = reading.leftOut.map(leftOutKey);
	forgetEnded(state, reading, [...keys, ...keysLeftOut]);
	if (state.reminders.shouldReport(keys)) {
		context.__emitError(toError(context.getNode(), failures, collectAdvice(reading)));
	}
	const untold = reading.leftOut.filter((each) =>
		state.reminders.shouldReport([leftOutKey(each)], Infinity),
	);
	if (untold.length > 0) reportLeftOut(context, poll, untold);
}

/** Forgets the failures that this poll would have met if they continued: if one comes back, it is reported again. */
function forgetEnded(
	state: TriggerState,
	{ seen, unread }: Reading,
	current: readonly FailureKey[],
): void {
	const unreadIds = new Set(unread.map(({ siteId }) => siteId));
	state.reminders.forgetEnded(current, ({ siteId, isTransient }) => {
		if (siteId !== undefined) return !unreadIds.has(siteId);
		// A transient failure may still concern the sites that were not read.
		return isTransient ? unreadIds.size === 0 : seen.size > 0;
	});
}

/** @param unreadMs how long a site was not read. */
export function listFailures(
	poll: ActivePoll,
	setup: PollSetup,
	reading: Reading,
	unreadMs: (site: NamedSite) => number = () => 0,
): PollFailure[] {
	const { unusable, sites } = setup;
	const { unread } = reading;
	const failures = [...unusable.map((failure) => ({ failure })), ...reading.failures];
	const overdue = unread.filter((site) => unreadMs(site) > MAX_UNREAD_MS);
	const isNothingAsked = unread.length === sites.length;
	if (isNothingAsked && (poll.isAttended || overdue.length > 0)) {
		failures.push({ failure: nothingAsked(poll, setup) });
	} else if (overdue.length > 0) {
		failures.push({ failure: MESSAGES.trigger.unread(overdue.map(siteLabel), sites.length) });
	}
	return failures;
}

/** Tells why no site was asked for. */
function nothingAsked({ beganAt, endsAt }: ActivePoll, { client }: PollSetup): FailureText {
	const { limiter, tokens } = client.account;
	const delayMs = limiter.delayMs(client.queue);
	return tokens.current === undefined && delayMs === 0
		? MESSAGES.limits.tookTooLong(LOGIN, endsAt - beganAt)
		: MESSAGES.trigger.noSlot(limiter.describe(client.queue), delayMs);
}

/** Identifies a failure while it continues. If the service is down or slow, each poll fails for other sites. */
function getFailureKey({ site, failure }: PollFailure): FailureKey {
	const cause = getCause(failure);
	if (failure.kind === 'transient') return { key: cause, isTransient: true };
	return site ? { key: `${site.siteId} ${cause}`, siteId: site.siteId } : { key: cause };
}

function leftOutKey({ site: { siteId } }: SiteFailure): FailureKey {
	return { key: `left out ${siteId}`, siteId };
}

/** Makes one error of all failures: a line for each, then each advice once, with the status and the body of the first one. */
export function toError(
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

/** Names the sites that 'Ignore Missing Sites' leaves out: in n8n's log, and to the person who activates the workflow. */
function reportLeftOut(
	context: IPollFunctions,
	{ isAttended }: ActivePoll,
	leftOut: readonly SiteFailure[],
): void {
	const namesOf = (kind: Failure['kind']) =>
		leftOut.filter(({ failure }) => failure.kind === kind).map(({ site }) => siteLabel(site));
	const message = MESSAGES.trigger.leftOut(namesOf('forbidden'), namesOf('notFound'));
	const node = context.getNode();
	context.logger.warn(`${node.name}: ${message}`, { workflowId: context.getWorkflow().id });
	if (isAttended) context.__emitError(requestError(node, { message, description: '' }));
}
