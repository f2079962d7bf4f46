import type { INode, IPollFunctions, NodeApiError } from 'n8n-workflow';
import { MINUTE_MS } from '../utils/time';
import { addNote, failureLines, LOGIN, identifyFailure, type Failure } from '../messages/failure';
import { TRIGGER_MESSAGES } from '../messages/trigger';
import { limitReached, timedOut } from '../service/noAnswerFailures';
import { SENTENCES } from '../messages/phrases';
import { pollSlots } from '../limit/rateLimiter';
import { requestError } from '../n8n/errors';
import { isTransient } from '../service/retry';
import { shortSiteLabel } from '../service/site';
import { startFailedExecution } from './n8nPolls';
import type { PollSetup } from './pollSetup';
import { getSiteKey, type SiteRecord, type SiteRecords } from './siteRecords';

/**
 * Report sites that were not requested for longer than this. The documented limit is ten minutes; one more allows for late
 * polls.
 */
const MAX_WAIT_MS = 11 * MINUTE_MS;

export interface PollFailure {
	failure: Failure;
	/** Undefined if the failure is not that of one site. */
	record?: SiteRecord;
}

/** Reports the failures of a poll in one failed execution, unless each of them was reported within the hour. */
export function reportFailures(
	context: IPollFunctions,
	records: SiteRecords,
	setup: PollSetup,
): void {
	const failures = listPollFailures(setup, records);
	if (
		!records.shouldReport(
			failures.map((each) =>
				getFailureKey(
					each,
					records.ofLastPoll.every((r) => r.failures.some(isTransient)),
				),
			),
		)
	)
		return;
	// An entry that names no site stays so until somebody corrects it.
	const areEntriesAlone = failures.length === setup.unusableEntries.length;
	const nextSteps = areEntriesAlone ? [SENTENCES.othersWatched()] : listNextSteps(setup, records);
	startFailedExecution(context, createReportError(context.getNode(), failures, nextSteps));
}

/**
 * Identifies a failure while it continues. That of a site is the same one until the site is read, whatever the reason. An outage is
 * the same one for all sites, whatever it shows: its status may change from poll to poll. A refused login is another one.
 */
function getFailureKey({ failure, record }: PollFailure, isOutage: boolean): string {
	if (isTransient(failure) && (isOutage || !record)) return 'transient';
	if (record) return getSiteKey(record.site);
	const cause = identifyFailure(failure);
	return failure.kind === 'stopsAll' && !cause.startsWith('4') ? 'stopped' : cause;
}

/** Lists what failed in the last poll. */
export function listPollFailures(setup: PollSetup, records: SiteRecords): PollFailure[] {
	const stop = records.isStopped ? records.stoppedBy : undefined;
	return listFailures(setup, records, stop, records.ofLastPoll);
}

/** Lists what fails as far as the trigger knows, also of the sites that the last poll did not request. */
export function listLastingFailures(setup: PollSetup, records: SiteRecords): PollFailure[] {
	return listFailures(setup, records, records.stoppedBy, records.all);
}

/** Lists failures: unusable entries of the list, the one that stopped a poll, those of sites, and what there was no time for. */
function listFailures(
	setup: PollSetup,
	records: SiteRecords,
	stop: Failure | undefined,
	sites: readonly SiteRecord[],
): PollFailure[] {
	return [
		...setup.unusableEntries.map((failure) => ({ failure })),
		...(stop ? [{ failure: stop }] : []),
		...sites.flatMap((record) =>
			record.failures.map((failure) => ({ record, failure: correctAdvice(failure, setup) })),
		),
		...listUnread(setup, records),
	];
}

/** Lists what there was no time for: one failure at most. */
function listUnread(setup: PollSetup, records: SiteRecords): PollFailure[] {
	const { poll, sites } = setup;
	const { beganAt, kind } = poll;
	const isNothingRequested = records.ofLastPoll.length === 0 && !records.isStopped;
	// A person who waits is told immediately, a poll that reads nothing only if that lasts.
	if (
		isNothingRequested &&
		(kind !== 'regular' || records.listWaiting(beganAt, MAX_WAIT_MS, 0).length > 0)
	) {
		return [{ failure: describeNothingRequested(setup) }];
	}
	// One poll more than it should take, because other requests of the account may delay a site.
	const maxPolls = countPollsOfRound(setup) + 1;
	const overdue = records.listWaiting(beganAt, MAX_WAIT_MS, maxPolls);
	if (overdue.length === 0) return [];
	const names = overdue.map(({ site }) => shortSiteLabel(site));
	return [{ failure: TRIGGER_MESSAGES.unread(names, sites.length, maxPolls) }];
}

/** Returns in how many polls the trigger requests all sites in turns, if no other one uses the account. */
function countPollsOfRound({ poll: { beganAt, endsAt }, client, sites }: PollSetup): number {
	const perMinute = pollSlots(client.account.settings.requestsPerMinute);
	// Half a minute is enough for the requests of a minute, because a poll begins with many of them.
	const minutes = Math.max(1, (endsAt - beganAt) / MINUTE_MS);
	return Math.ceil(sites.length / (perMinute * minutes));
}

/** Fits the advice for an unknown site to the trigger, which reads it again at each poll. */
function correctAdvice(failure: Failure, { settings }: PollSetup): Failure {
	if (failure.kind !== 'notFound') return failure;
	return { ...failure, ...TRIGGER_MESSAGES.notFound(settings.sitesChoice) };
}

/** Says why no site was requested. */
function describeNothingRequested({ poll, client }: PollSetup): Failure {
	const { limiter, tokens } = client.account;
	const limit = limiter.describeLimit(client.queue);
	return tokens.current === undefined && limit.delayMs === 0
		? timedOut(LOGIN, poll.endsAt - poll.beganAt)
		: { ...limitReached(limit), ...TRIGGER_MESSAGES.sendsAgain(limit) };
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
	const sites = new Set(failures.flatMap(({ record }) => record?.site ?? []));
	const shared = failures.find(({ failure }) => failure.kind === 'stopsAll');
	const several =
		sites.size > 1 ? TRIGGER_MESSAGES.several([...sites].map(shortSiteLabel)) : first.message;
	const message = shared?.failure.message ?? several;
	const lines = failureLines(failures.map(({ failure }) => failure));
	const advice = failures.flatMap(({ failure }) => [failure.description, failure.note ?? '']);
	const sentences = [...new Set(advice), ...nextSteps].filter(Boolean).join(' ');
	const inLines = { note: undefined, serviceMessage: undefined, traceId: undefined };
	const description = [...lines, sentences].join('\n');
	return requestError(node, { ...first, ...inLines, message, description });
}

/** Says what becomes of the sites. A forbidden one may stay so, and must not look as if the trigger had stopped. */
function listNextSteps({ settings }: PollSetup, { ofLastPoll }: SiteRecords): string[] {
	const forbidden = ofLastPoll.filter(({ failures }) =>
		failures.some(({ kind }) => kind === 'forbidden'),
	).length;
	const areOthersWatched = ofLastPoll.some(({ failures }) => failures.length === 0);
	if (!areOthersWatched) return [SENTENCES.nextPoll()];
	if (forbidden === 0) return [SENTENCES.othersWatched(), SENTENCES.nextPoll()];
	return [SENTENCES.triedAgain(forbidden), SENTENCES.removeGone(forbidden, settings.sitesChoice)];
}
