import type { INode, IPollFunctions, NodeApiError } from 'n8n-workflow';
import { explainWait } from '../limit/noSlot';
import { addNote, failureLines, LOGIN, type Failure } from '../messages/failure';
import { TRIGGER_MESSAGES } from '../messages/trigger';
import { requestError } from '../n8n/errors';
import { timedOut } from '../service/requestFailures';
import { shortSiteLabel, type SiteRef } from '../service/site';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../utils/time';
import type { PollSetup } from './pollSetup';
import type { SiteRecord, SiteRecords } from './siteRecords';

/* When does a failed execution start, what does it tell, and how does it say it? */

/** Why a failed execution starts: all sites fail, or some do. Each starts one an hour at most, so one never hides the other. */
type Extent = 'allSites' | 'someSites';

/** Polls come a little earlier or later than an hour after another. */
const REMINDER_MS = HOUR_MS - 30 * SECOND_MS;

/** Starts the failed executions of a trigger. Each tells all that fails, whatever it starts for. */
export class FailedExecutions {
	/** When the last one started, by the monotonic clock. */
	private readonly startedAt = new Map<Extent, number>();

	/** Starts one for what fails after a poll, if it is due. */
	emitFailures(context: IPollFunctions, setup: PollSetup, records: SiteRecords): void {
		const failures = listFailures(setup, records);
		if (failures.length === 0) return;
		this.emitIfDue(context, getExtent(failures, records), setup.poll.beganAt, () =>
			toError(context.getNode(), failures, listNextSteps(setup, records, failures)),
		);
	}

	/** Starts one for an exception, such as that of settings that cannot be used, if it is due. */
	emitException(context: IPollFunctions, error: Error, beganAt: number): void {
		this.emitIfDue(context, 'allSites', beganAt, () => error);
	}

	/**
	 * Adds a failed execution, which n8n reports to the error workflow.
	 *
	 * A poll does not throw for what it cannot fetch: n8n would lose its items, the changes of all other sites, and would not
	 * activate a workflow while the service is down. In return n8n counts the poll as a success: in its metrics, and for its
	 * scheduler, which waits longer between polls only after exceptions (2.40).
	 */
	private emitIfDue(
		context: IPollFunctions,
		extent: Extent,
		now: number,
		createError: () => Error,
	): void {
		if (now - (this.startedAt.get(extent) ?? -Infinity) < REMINDER_MS) return;
		this.startedAt.set(extent, now);
		context.__emitError(createError());
	}
}

function getExtent(
	[first]: readonly ListedFailure[],
	{ requestedByLastPoll }: SiteRecords,
): Extent {
	const isNoneRead =
		requestedByLastPoll.length > 0 &&
		requestedByLastPoll.every(({ failures }) => failures.length > 0);
	return first?.failure.stopsAll || isNoneRead ? 'allSites' : 'someSites';
}

export interface ListedFailure {
	failure: Failure;
	/** Of the site that it concerns; undefined if it is not that of a single site. */
	record?: SiteRecord;
}

/**
 * Lists what fails as far as the trigger knows, also of sites that the last poll did not request. First what stops all, then
 * single sites: an error shows ten failures, and many unusable entries must not hide a site.
 */
export function listFailures(setup: PollSetup, records: SiteRecords): ListedFailure[] {
	const stopFailure = records.stopFailure ?? describeNothingRequested(setup, records);
	return [
		...(stopFailure ? [{ failure: stopFailure }] : []),
		...records.all.flatMap((record) =>
			record.failures.map((failure) => ({ failure: correctAdvice(failure, setup), record })),
		),
		...setup.unusableEntries.map((failure) => ({ failure })),
	];
}

/** Fits the advice for an unknown site to the trigger, which reads it again at each poll. */
function correctAdvice(failure: Failure, { settings }: PollSetup): Failure {
	if (failure.kind !== 'notFound') return failure;
	return { ...failure, ...TRIGGER_MESSAGES.notFound(settings.sitesChoice) };
}

/**
 * Tell that nothing is requested after this time: a long execution may use up the request limit for some minutes. Not ten, because polls
 * may be ten minutes apart, and late.
 */
const TELL_AFTER_MS = 11 * MINUTE_MS;

/** Says why the last poll had time for no site, if that must be told. */
function describeNothingRequested(
	{ poll, client }: PollSetup,
	records: SiteRecords,
): Failure | undefined {
	if (records.requestedByLastPoll.length > 0) return undefined;
	const waitsLong = records.all.some(({ waitsSince }) => poll.beganAt - waitsSince > TELL_AFTER_MS);
	// A person who fetches a test event is told immediately.
	if (poll.kind !== 'testEvent' && !waitsLong) return undefined;
	const limit = client.account.limiter.describeLimit(client.queue);
	return limit.delayMs === 0
		? { ...timedOut(LOGIN, poll.endsAt - poll.beganAt), stopsAll: true }
		: { ...explainWait(limit), ...TRIGGER_MESSAGES.sendsAgain(limit) };
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

/** Lists the sites of failures. One fails twice if neither its info nor its units can be compared. */
function listSites(failures: readonly ListedFailure[]): SiteRef[] {
	return [...new Set(failures.flatMap(({ record }) => record?.site ?? []))];
}

/** Says what becomes of the sites. A forbidden one may stay so, and must not look as if the trigger had stopped. */
function listNextSteps(
	{ settings, unusableEntries }: PollSetup,
	{ stopFailure, requestedByLastPoll }: SiteRecords,
	failures: readonly ListedFailure[],
): string[] {
	const onlyEntriesFail = failures.length === unusableEntries.length;
	// An entry that names no site stays so until somebody corrects it.
	if (onlyEntriesFail) return [TRIGGER_MESSAGES.othersWatched()];
	const isOneRead =
		!stopFailure && requestedByLastPoll.some((record) => record.failures.length === 0);
	if (!isOneRead) return [TRIGGER_MESSAGES.nextPoll()];
	const isOneForbidden = failures.some(({ failure }) => failure.kind === 'forbidden');
	if (!isOneForbidden) return [TRIGGER_MESSAGES.othersWatched(), TRIGGER_MESSAGES.nextPoll()];
	const count = listSites(failures).length;
	return [
		TRIGGER_MESSAGES.triedAgain(count),
		TRIGGER_MESSAGES.removeGone(count, settings.sitesChoice),
	];
}
