import type { INode, IPollFunctions, NodeApiError } from 'n8n-workflow';
import { MINUTE_MS } from '../utils/time';
import { addNote, failureLines, MESSAGES, SENTENCES, type FailureText } from '../messages/messages';
import { requestError } from '../n8n/errors';
import { identifyFailure } from '../service/failures';
import { siteSubject, siteLabel } from '../service/site';
import type { Finding } from './findChanges';
import type { PollFailure, Reading } from './readSites';
import type { ReadingOrder } from './readingOrder';
import type { PollSetup } from './setUp';
import type { ActivePoll } from './pollLock';
import type { FailureKey } from './reminders';
import type { TriggerState } from './state';

/**
 * Report sites that were not read for longer than this. It is a minute more than the ten that the pages promise, because polls
 * do not come at the exact second.
 */
const MAX_UNREAD_MS = 11 * MINUTE_MS;
/** Report them only after more polls than this: a daily poll with many sites reads them in turns. */
const MAX_UNREAD_POLLS = 2;

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
	const node = context.getNode();
	const failures = listFailures(poll, setup, reading, state.order);
	const keys = failures.map(getFailureKey);
	const unfinishedIds = new Set(reading.unfinished.map(({ siteId }) => siteId));
	state.reminders.forgetEnded(keys, ({ siteId }) =>
		siteId === undefined ? unfinishedIds.size === 0 : !unfinishedIds.has(siteId),
	);
	if (state.reminders.shouldReport(keys)) {
		context.__emitError(createReportError(node, failures, listNextSteps(setup, reading)));
	}
	if (poll.isInteractive && reading.skipped.length > 0) {
		context.__emitError(
			requestError(node, MESSAGES.trigger.skipped(reading.skipped.map(siteLabel))),
		);
	}
}

/** Lists the failures of a poll. */
export function listFailures(
	poll: ActivePoll,
	setup: PollSetup,
	{ failures, unfinished }: Reading,
	order: ReadingOrder,
): PollFailure[] {
	const listed = [...setup.unusable.map((failure) => ({ failure })), ...failures];
	const sinceRequested = unfinished.map((site) => ({
		site,
		...order.sinceRequested(site, poll.beganAt),
	}));
	const unread = sinceRequested.filter(({ milliseconds }) => milliseconds > MAX_UNREAD_MS);
	const overdue = unread.filter(({ polls }) => polls > MAX_UNREAD_POLLS);
	const nothingRequested = unfinished.length === setup.sites.length;
	if (nothingRequested && (poll.isInteractive || unread.length > 0)) {
		return [...listed, { failure: describeNothingRequested(poll, setup) }];
	}
	if (overdue.length === 0) return listed;
	const names = overdue.map(({ site }) => siteLabel(site));
	return [...listed, { failure: MESSAGES.trigger.unread(names, setup.sites.length) }];
}

/** Says why no site was requested. */
function describeNothingRequested(
	{ beganAt, endsAt }: ActivePoll,
	{ client }: PollSetup,
): FailureText {
	const { limiter, tokens } = client.account;
	const limit = limiter.describeLimit(client.queue);
	return tokens.current === undefined && limit.delayMs === 0
		? MESSAGES.login.tookTooLong(endsAt - beganAt)
		: MESSAGES.trigger.noSlot(limit);
}

/** Describes the parts of a site that cannot be compared. */
export function describeUnusableParts({ seen, unusableParts }: Finding): PollFailure[] {
	const { named: site, deviations } = seen;
	return unusableParts.map((part) => {
		const reason = deviations.find(({ field }) => field === part)?.reason ?? '';
		return { site, failure: MESSAGES.answer.unusable(siteSubject(site), `'${part}' ${reason}`) };
	});
}

/** Identifies a failure. A transient one has no site: while the service is down, each poll fails for other sites. */
function getFailureKey({ site, failure }: PollFailure): FailureKey {
	const cause = identifyFailure(failure);
	if (!site || failure.kind === 'transient') return { key: cause };
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
	const names = failures.flatMap(({ site }) => (site ? siteLabel(site) : []));
	const message = names.length > 1 ? MESSAGES.trigger.several(names) : first.message;
	const lines = failureLines(failures.map(({ failure }) => failure));
	const advice = failures.flatMap(({ failure }) => [failure.description, failure.note ?? '']);
	const sentences = [...new Set(advice), ...nextSteps].filter(Boolean).join(' ');
	const inLines = { note: undefined, serviceMessage: undefined, traceId: undefined };
	const description = [...lines, sentences].join('\n');
	return requestError(node, { ...first, ...inLines, message, description });
}

/** Says what becomes of the sites. A forbidden one may stay so, and must not look as if the trigger had stopped. */
function listNextSteps({ settings }: PollSetup, { seen, failures }: Reading): string[] {
	const forbidden = failures.filter(({ failure }) => failure.kind === 'forbidden').length;
	if (seen.size === 0) return [SENTENCES.nextPoll()];
	if (forbidden === 0) return [SENTENCES.othersWatched(), SENTENCES.nextPoll()];
	return [SENTENCES.triedAgain(forbidden), SENTENCES.removeGone(forbidden, settings.sitesChoice)];
}
