import type { INode, IPollFunctions, NodeApiError } from 'n8n-workflow';
import { HOUR_MS, MINUTE_MS } from '../../../shared/duration';
import { MESSAGES, SENTENCES } from '../../../shared/messages';
import { requestError } from '../nodeErrors';
import { causeOf, type Failure } from '../transport/failure';
import type { ReportedFailure, Subject } from './memory';

/** What failed in a poll. */
export interface PollFailure {
	subject: Subject;
	failure: Failure;
}

/** How often a continuing failure is reported. */
const REMINDER_MS = HOUR_MS;
/** Polls do not come at the exact second. */
const EARLY_MS = MINUTE_MS;

/** What a poll has found, as far as it matters for what is reported. */
export interface PollFindings {
	failures: readonly PollFailure[];
	/** The sites that were read, by their IDs. */
	seen: ReadonlyMap<number, unknown>;
	/** The watched sites; undefined where it is not known which these are. */
	siteIds?: readonly number[];
}

/** What to report of a poll. */
interface Report {
	/** One error for all failures; undefined where they were reported a short while ago. */
	error: NodeApiError | undefined;
	/** The subjects whose failure was reported, and is over. */
	recovered: Subject[];
	/** What to remember for the next poll. */
	reported: ReportedFailure[];
}

/**
 * Reports what failed in a poll, in n8n's log and as a failed execution, unless that was done a short while ago. That a
 * failure is over goes to the log.
 *
 * @param before the failures that were reported.
 * @returns what to remember of it, and whether a failed execution or a recovery was reported.
 */
export function report(
	context: IPollFunctions,
	result: PollFindings,
	before: readonly ReportedFailure[],
): { failures: ReportedFailure[]; hasReported: boolean } {
	const node = context.getNode();
	const workflowId = context.getWorkflow().id;
	const { error, recovered, reported } = reportOf(node, result, before, Date.now());
	if (recovered.length > 0) {
		context.logger.info(`${node.name}: ${describeRecoveries(recovered)}`, { workflowId });
	}
	if (error) {
		context.logger.warn(`${node.name}: ${describeFailures(result.failures)}`, { workflowId });
		context.__emitError(error);
	}
	return { failures: reported, hasReported: error !== undefined || recovered.length > 0 };
}

/**
 * Decides what to report of the failures of a poll: all of them when one is new, or has another cause, and once an hour
 * as long as they go on or come back. A site that fails for a night, or now and then, would fill the list of executions
 * otherwise. When a reported failure is over, that is reported once.
 */
export function reportOf(
	node: INode,
	result: PollFindings,
	before: readonly ReportedFailure[],
	now: number,
): Report {
	const { failures } = result;
	const isRecent = ({ at }: ReportedFailure) => Math.abs(now - at) < REMINDER_MS - EARLY_MS;
	const known = new Set(before.filter(isRecent).map(keyOf));
	const current = failures.map(({ subject, failure }) => {
		return { subject, cause: causeOf(failure), at: now, isOver: false };
	});
	const isNews = !current.every((failure) => known.has(keyOf(failure)));
	const reportedNow = isNews ? current : [];

	const { recovered, pending } = followUp(result, before);
	const again = new Set(reportedNow.map(keyOf));
	const kept = before
		.filter((failure) => !again.has(keyOf(failure)))
		.filter((failure) => isRecent(failure) || pending.has(failure))
		.map((failure) => (recovered.has(failure.subject) ? { ...failure, isOver: true } : failure));
	return {
		error: isNews ? errorOf(node, failures) : undefined,
		recovered: [...recovered],
		reported: [...kept, ...reportedNow],
	};
}

function keyOf({ subject, cause }: Pick<ReportedFailure, 'subject' | 'cause'>): string {
	return `${subject} ${cause}`;
}

/**
 * What a poll means for the failures that were reported before it.
 *
 * @returns the subjects that work again, and the failures that are kept, however old, until it is known whether they
 *   are over.
 */
function followUp(
	{ failures, seen, siteIds }: PollFindings,
	before: readonly ReportedFailure[],
): { recovered: Set<Subject>; pending: Set<ReportedFailure> } {
	const failing = new Set(failures.map(({ subject }) => subject));
	const watched = siteIds && new Set(siteIds);
	const isWatched = ({ subject }: ReportedFailure) =>
		!isSite(subject) || !watched || watched.has(subject);
	// What sites share works again once any of them has been read.
	const isRead = ({ subject }: ReportedFailure) =>
		isSite(subject) ? seen.has(subject) : seen.size > 0;

	const open = before.filter(({ subject, isOver }) => !isOver && !failing.has(subject));
	return {
		recovered: new Set(open.filter(isRead).map(({ subject }) => subject)),
		pending: new Set(open.filter((failure) => isWatched(failure) && !isRead(failure))),
	};
}

function isSite(subject: Subject): subject is number {
	return typeof subject === 'number';
}

function sharedFirst(failures: readonly PollFailure[]): PollFailure[] {
	return failures.toSorted(
		(one, other) => Number(isSite(one.subject)) - Number(isSite(other.subject)),
	);
}

/** The error of a test event, which names each site that failed. */
export function testEventError(node: INode, failures: readonly PollFailure[]): NodeApiError {
	return errorOf(node, failures, true);
}

/** One error for all failures, with the status and the body of the first one. */
function errorOf(node: INode, failures: readonly PollFailure[], isTestEvent = false): NodeApiError {
	const [first, ...others] = sharedFirst(failures) as [PollFailure, ...PollFailure[]];
	const { subject, failure } = first;
	const { message, description } =
		isSite(subject) && others.length > 0
			? MESSAGES.trigger.several(failures.length, failure)
			: failure;
	return requestError(node, {
		...failure,
		message,
		description: [
			description,
			...(others.length > 0 ? [describeFailures(others)] : []),
			...(isTestEvent ? describeUnlisted(others) : [SENTENCES.nextPoll()]),
		].join(' '),
	});
}

/** The sites that {@link describeFailures} only counts. */
function describeUnlisted(failures: readonly PollFailure[]): string[] {
	const subjects = failures.slice(MAX_LISTED).map(({ subject }) => `${subject}`);
	return subjects.length > 0 ? [SENTENCES.unlisted(subjects)] : [];
}

/** The first of the messages, as sentences. */
function describeFailures(failures: readonly PollFailure[]): string {
	return listOf(failures.map(({ failure }) => failure.message));
}

/** The first of the subjects that have recovered, as sentences. */
export function describeRecoveries(subjects: readonly Subject[]): string {
	return listOf(
		subjects.map((subject) =>
			isSite(subject) ? MESSAGES.log.siteRecovered(`${subject}`) : MESSAGES.log[subject](),
		),
	);
}

const MAX_LISTED = 5;

function listOf(messages: readonly string[]): string {
	const sentences = messages.slice(0, MAX_LISTED).map((message) => `${message}.`);
	const more = messages.length - sentences.length;
	return [...sentences, ...(more > 0 ? [SENTENCES.more(more)] : [])].join(' ');
}
