import type { INode, NodeApiError } from 'n8n-workflow';
import { limitReached } from '../limit/noSlot';
import { addNote, failureLines, LOGIN, type Failure } from '../messages/failure';
import { SENTENCES } from '../messages/phrases';
import { TRIGGER_MESSAGES } from '../messages/trigger';
import { requestError } from '../n8n/errors';
import { timedOut } from '../service/requestFailures';
import { shortSiteLabel, type SiteRef } from '../service/site';
import { MINUTE_MS } from '../utils/time';
import { countPollsOfRound, type PollSetup } from './pollSetup';
import type { SiteRecord, SiteRecords } from './siteRecords';

/* What fails, and how does one error tell all of it? */

export interface ListedFailure {
	failure: Failure;
	/** The sites that it concerns; empty if it is not that of single sites. */
	sites: readonly SiteRecord[];
}

/** Lists what fails as far as the trigger knows, also of sites that the last poll did not request. */
export function listFailures(setup: PollSetup, records: SiteRecords): ListedFailure[] {
	const { stoppedBy } = records;
	return [
		...(stoppedBy ? [{ failure: stoppedBy, sites: [] }] : []),
		...setup.unusableEntries.map((failure) => ({ failure, sites: [] })),
		...records.all.flatMap((record) =>
			record.failures.map((failure) => {
				return { failure: correctAdvice(failure, setup), sites: [record] };
			}),
		),
		...listWaiting(setup, records),
	];
}

/** Fits the advice for an unknown site to the trigger, which reads it again at each poll. */
function correctAdvice(failure: Failure, { settings }: PollSetup): Failure {
	if (failure.kind !== 'notFound') return failure;
	return { ...failure, ...TRIGGER_MESSAGES.notFound(settings.sitesChoice) };
}

/** Tell of sites that were not requested for longer than this. The pages say ten minutes; one more allows for late polls. */
const MAX_WAIT_MS = 11 * MINUTE_MS;

/** Lists the sites that there was no time for: one failure at most. */
function listWaiting(setup: PollSetup, records: SiteRecords): ListedFailure[] {
	const nothingRequested = records.ofLastPoll.length === 0 && !records.stoppedBy;
	return nothingRequested ? listUnrequested(setup, records) : listOverdue(setup, records);
}

/** After a poll that had time for no site. */
function listUnrequested(setup: PollSetup, records: SiteRecords): ListedFailure[] {
	const { kind, beganAt } = setup.poll;
	// A person who waits is told immediately.
	const sites = kind === 'regular' ? records.listWaiting(beganAt, MAX_WAIT_MS) : records.all;
	return sites.length > 0 ? [{ failure: describeNothingRequested(setup), sites }] : [];
}

/** After a poll that had time for some. */
function listOverdue(setup: PollSetup, records: SiteRecords): ListedFailure[] {
	const { poll, sites } = setup;
	// One poll more than it should take, because other requests of the account may delay a site.
	const maxPolls = countPollsOfRound(setup) + 1;
	const overdue = records.listWaiting(poll.beganAt, MAX_WAIT_MS, maxPolls);
	if (overdue.length === 0) return [];
	const names = overdue.map(({ site }) => shortSiteLabel(site));
	return [{ failure: TRIGGER_MESSAGES.unread(names, sites.length, maxPolls), sites: overdue }];
}

/** Says why no site was requested. */
function describeNothingRequested({ poll, client }: PollSetup): Failure {
	const { limiter, tokens } = client.account;
	const limit = limiter.describeLimit(client.queue);
	return tokens.current === undefined && limit.delayMs === 0
		? { ...timedOut(LOGIN, poll.endsAt - poll.beganAt), stopsAll: true }
		: { ...limitReached(limit), ...TRIGGER_MESSAGES.sendsAgain(limit) };
}

/**
 * Creates one error of all failures: a line for each, then what to do, and what becomes of the sites. It has the status and body
 * of the first failure, which is that of all sites if there is one.
 */
export function toError(
	node: INode,
	failures: readonly ListedFailure[],
	nextSteps: readonly string[] = [],
): NodeApiError {
	const [{ failure: first }, ...others] = failures as [ListedFailure, ...ListedFailure[]];
	if (others.length === 0) return requestError(node, addNote(first, ...nextSteps));
	const sites = listSites(failures);
	const isOfAll = first.stopsAll || sites.length < 2;
	const message = isOfAll ? first.message : TRIGGER_MESSAGES.several(sites.map(shortSiteLabel));
	const lines = failureLines(failures.map(({ failure }) => failure));
	const advice = failures.flatMap(({ failure }) => [failure.description, failure.note ?? '']);
	const sentences = [...new Set(advice), ...nextSteps].filter(Boolean).join(' ');
	const inLines = { note: undefined, serviceMessage: undefined, traceId: undefined };
	const description = [...lines, sentences].join('\n');
	return requestError(node, { ...first, ...inLines, message, description });
}

/** Says what becomes of the sites. A forbidden one may stay so, and must not look as if the trigger had stopped. */
export function listNextSteps(
	{ settings, unusableEntries }: PollSetup,
	{ stoppedBy, ofLastPoll }: SiteRecords,
	failures: readonly ListedFailure[],
): string[] {
	const onlyEntriesFail = failures.length === unusableEntries.length;
	// An entry that names no site stays so until somebody corrects it.
	if (onlyEntriesFail) return [SENTENCES.othersWatched()];
	const areOthersWatched = !stoppedBy && ofLastPoll.some((record) => record.failures.length === 0);
	if (!areOthersWatched) return [SENTENCES.nextPoll()];
	const isOneForbidden = failures.some(({ failure }) => failure.kind === 'forbidden');
	if (!isOneForbidden) return [SENTENCES.othersWatched(), SENTENCES.nextPoll()];
	const count = listSites(failures).length;
	return [SENTENCES.triedAgain(count), SENTENCES.removeGone(count, settings.sitesChoice)];
}

/** Lists the sites of failures. One fails twice if neither its info nor its units can be compared. */
function listSites(failures: readonly ListedFailure[]): SiteRef[] {
	return [...new Set(failures.flatMap(({ sites }) => sites.map(({ site }) => site)))];
}
