import type { INode, IPollFunctions, NodeApiError } from 'n8n-workflow';
import { addNote, failureLines, LOGIN, type Failure } from '../messages/failure';
import { SENTENCES } from '../messages/phrases';
import { TRIGGER_MESSAGES } from '../messages/trigger';
import { requestError } from '../n8n/errors';
import { limitReached, timedOut } from '../service/requestFailures';
import { shortSiteLabel } from '../service/site';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../utils/time';
import { countPollsOfRound, type PollSetup } from './pollSetup';
import { startFailedExecution } from './n8nPolls';
import type { SiteRecord, SiteRecords } from './siteRecords';

/* When does a failed execution start, and what does it say? */

/** Polls come a little earlier or later than an hour after another. */
const REMINDER_MS = HOUR_MS - 30 * SECOND_MS;
const MAX_AN_HOUR = 4;

/**
 * When people were told what, by the monotonic clock:
 *
 * 1. A failed execution tells all that fails, and starts if one of its topics was not told within the hour.
 * 2. A poll that reads nothing is one topic, whatever the answers: one for what passes by itself, one for what somebody must mend.
 * 3. Settings that cannot be used are another one.
 * 4. Single sites are two: those of which people do not know yet, and those that still fail an hour after they were told.
 * 5. There are four failed executions an hour at most.
 */
export class ToldTopics {
	private readonly toldAt = new Map<string, number>();
	private readonly startedAt: number[] = [];

	isDue(topics: readonly string[], now: number): boolean {
		const isFull = now - (this.startedAt.at(-MAX_AN_HOUR) ?? -Infinity) < HOUR_MS;
		return !isFull && topics.some((topic) => isLongAgo(this.toldAt.get(topic), now));
	}

	record(topics: readonly string[], now: number): void {
		this.startedAt.push(now);
		this.startedAt.splice(0, this.startedAt.length - MAX_AN_HOUR);
		for (const topic of topics) this.toldAt.set(topic, now);
	}
}

function isLongAgo(at: number | undefined, now: number): boolean {
	return at === undefined || now - at >= REMINDER_MS;
}

export interface PollFailure {
	failure: Failure;
	/** The sites that it concerns; empty if it is not that of single sites. */
	records: readonly SiteRecord[];
}

/** Starts a failed execution for what fails, if it is due. */
export function tellFailures(
	context: IPollFunctions,
	topics: ToldTopics,
	records: SiteRecords,
	setup: PollSetup,
): void {
	const { beganAt } = setup.poll;
	const failures = listLastingFailures(setup, records);
	const shown = [...new Set(failures.flatMap((each) => each.records))];
	const named = listTopics(setup, records, failures, shown);
	if (!topics.isDue(named, beganAt)) return;
	topics.record(shown.length > 0 ? [...named, 'reminder'] : named, beganAt);
	records.recordShown(shown, beganAt);
	// An entry that names no site stays so until somebody corrects it.
	const areEntriesAlone = failures.length === setup.unusableEntries.length;
	const nextSteps = areEntriesAlone ? [SENTENCES.othersWatched()] : listNextSteps(setup, records);
	startFailedExecution(context, createReportError(context.getNode(), failures, nextSteps));
}

function listTopics(
	{ unusableEntries, poll: { beganAt } }: PollSetup,
	{ hasReadNothing, isStopped, stoppedBy }: SiteRecords,
	failures: readonly PollFailure[],
	sites: readonly SiteRecord[],
): string[] {
	const others = failures.slice(unusableEntries.length).map(({ failure }) => failure);
	const causes = isStopped && stoppedBy ? [stoppedBy] : others;
	const blocking = causes.some(passes) ? 'outage' : 'mend';
	const hasNews = sites.some(({ shownAt }) => shownAt === undefined);
	const isReminderDue = sites.some(({ shownAt }) => isLongAgo(shownAt, beganAt));
	return [
		...(unusableEntries.length > 0 ? ['entries'] : []),
		...(isStopped || (hasReadNothing && others.length > 0) ? [blocking] : []),
		...(!hasReadNothing && hasNews ? ['news'] : []),
		...(!hasReadNothing && isReminderDue ? ['reminder'] : []),
	];
}

/** Returns whether a failure passes by itself. Somebody must mend the others, such as a refused login. */
function passes({ cause }: Failure): boolean {
	return cause === 'temporarily-unavailable' || cause === 'rate-limited';
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
		...setup.unusableEntries.map((failure) => ({ failure, records: [] })),
		...(stop ? [{ failure: stop, records: [] }] : []),
		...sites.flatMap((record) =>
			record.failures.map((failure) => {
				return { failure: correctAdvice(failure, setup), records: [record] };
			}),
		),
		...listUnread(setup, records),
	];
}

/** Tell of sites that were not requested for longer than this. The pages say ten minutes; one more allows for late polls. */
const MAX_WAIT_MS = 11 * MINUTE_MS;

/** Lists what there was no time for: one failure at most. */
function listUnread(setup: PollSetup, records: SiteRecords): PollFailure[] {
	const { poll, sites } = setup;
	const { beganAt, kind } = poll;
	const isNothingRequested = records.ofLastPoll.length === 0 && !records.isStopped;
	// A person who waits is told immediately; a regular poll that reads nothing is told after eleven minutes.
	const hasWaited = records.listWaiting(beganAt, MAX_WAIT_MS, 0).length > 0;
	if (isNothingRequested && (kind !== 'regular' || hasWaited)) {
		return [{ failure: describeNothingRequested(setup), records: [] }];
	}
	// One poll more than it should take, because other requests of the account may delay a site.
	const maxPolls = countPollsOfRound(setup) + 1;
	const overdue = records.listWaiting(beganAt, MAX_WAIT_MS, maxPolls);
	if (overdue.length === 0) return [];
	const names = overdue.map(({ site }) => shortSiteLabel(site));
	return [{ failure: TRIGGER_MESSAGES.unread(names, sites.length, maxPolls), records: overdue }];
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
	const ofAll = failures.find(({ failure }) => failure.kind === 'stopsAll');
	// A site fails twice if neither its info nor its units can be compared.
	const sites = [...new Set(failures.flatMap(({ records }) => records.map(({ site }) => site)))];
	const several =
		sites.length > 1 ? TRIGGER_MESSAGES.several(sites.map(shortSiteLabel)) : first.message;
	const message = ofAll?.failure.message ?? several;
	const lines = failureLines(failures.map(({ failure }) => failure));
	const advice = failures.flatMap(({ failure }) => [failure.description, failure.note ?? '']);
	const sentences = [...new Set(advice), ...nextSteps].filter(Boolean).join(' ');
	const inLines = { note: undefined, serviceMessage: undefined, traceId: undefined };
	const description = [...lines, sentences].join('\n');
	return requestError(node, { ...first, ...inLines, message, description });
}

/** Says what becomes of the sites. A forbidden one may stay so, and must not look as if the trigger had stopped. */
function listNextSteps({ settings }: PollSetup, { all, ofLastPoll }: SiteRecords): string[] {
	const areOthersWatched = ofLastPoll.some(({ failures }) => failures.length === 0);
	if (!areOthersWatched) return [SENTENCES.nextPoll()];
	const forbidden = all.filter(({ failures }) =>
		failures.some(({ kind }) => kind === 'forbidden'),
	).length;
	if (forbidden === 0) return [SENTENCES.othersWatched(), SENTENCES.nextPoll()];
	return [SENTENCES.triedAgain(forbidden), SENTENCES.removeGone(forbidden, settings.sitesChoice)];
}
