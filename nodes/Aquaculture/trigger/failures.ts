import type { INode, IPollFunctions, NodeApiError } from 'n8n-workflow';
import { MESSAGES, SENTENCES } from '../../../shared/messages';
import { requestError } from '../errors';
import { causeOf, type Failure } from '../transport/failure';
import type { ReportedFailure } from './memory';

/** What failed in a poll. */
export interface PollFailure {
	/** The ID of the site, or the part that all sites share, such as the login. */
	subject: string;
	/** Whether it is the failure of several sites, not of one. */
	isShared: boolean;
	failure: Failure;
}

/** How often a continuing failure is reported. */
const REMINDER_MS = 60 * 60 * 1000;
/** Polls do not come at the exact second. */
const EARLY_MS = 60 * 1000;

/** The result of a poll. */
export interface PollResult {
	/** Failures that several sites share come first. */
	failures: readonly PollFailure[];
	/** The sites that were read, by their IDs. */
	readings: ReadonlyMap<number, unknown>;
	/** The watched sites; undefined where it is not known which these are. */
	siteIds?: readonly number[];
}

/** What to report of a poll. */
interface Report {
	/** One error for all failures; undefined where they were reported a short while ago. */
	error: NodeApiError | undefined;
	/** The subjects whose failure was reported, and is over. */
	recovered: string[];
	/** What to remember for the next poll. */
	reported: ReportedFailure[];
}

/**
 * Reports what failed in a poll: always to n8n's log, at intervals also as a failed execution. That a
 * failure is over goes to the log.
 *
 * @param before the failures that were reported.
 * @returns what to remember of it, and whether a failed execution or a recovery was reported.
 */
export function report(
	context: IPollFunctions,
	result: PollResult,
	before: readonly ReportedFailure[],
): { failures: ReportedFailure[]; hasReported: boolean } {
	const node = context.getNode();
	const workflowId = context.getWorkflow().id;
	const { failures } = result;
	if (failures.length > 0) {
		context.logger.warn(`${node.name}: ${describeFailures(failures)}`, { workflowId });
	}
	const { error, recovered, reported } = reportOf(node, result, before, Date.now());
	if (recovered.length > 0) {
		context.logger.info(`${node.name}: ${describeRecoveries(recovered)}`, { workflowId });
	}
	if (error) context.__emitError(error);
	return { failures: reported, hasReported: error !== undefined || recovered.length > 0 };
}

/**
 * Decides what to report of the failures of a poll: all of them when one is new, or has another cause, and once an hour
 * as long as they go on or come back. A site that fails for a night, or now and then, would fill the list of executions
 * otherwise. When a reported failure is over, that is reported once.
 */
export function reportOf(
	node: INode,
	result: PollResult,
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

	const recovered = recoveredSubjects(result, before);
	const isOpen = openIn(result);
	const again = new Set(reportedNow.map(keyOf));
	const kept = before
		.map((failure) => (recovered.has(failure.subject) ? { ...failure, isOver: true } : failure))
		.filter((failure) => !again.has(keyOf(failure)) && (isRecent(failure) || isOpen(failure)));
	return {
		error: isNews ? errorOf(node, failures) : undefined,
		recovered: [...recovered],
		reported: [...kept, ...reportedNow],
	};
}

function keyOf({ subject, cause }: Pick<ReportedFailure, 'subject' | 'cause'>): string {
	return `${subject} ${cause}`;
}

/** A shared failure is over once any site has been read. */
function recoveredSubjects(
	{ failures, readings }: PollResult,
	before: readonly ReportedFailure[],
): Set<string> {
	const failing = new Set(failures.map(({ subject }) => subject));
	const isRead = (subject: string) =>
		isSite(subject) ? readings.has(Number(subject)) : readings.size > 0;
	return new Set(
		before
			.filter(({ subject, isOver }) => !isOver && !failing.has(subject) && isRead(subject))
			.map(({ subject }) => subject),
	);
}

/** Whether a failure counts as not over because its subject was not asked for in this poll. */
function openIn({ failures, siteIds }: PollResult): (failure: ReportedFailure) => boolean {
	const failing = new Set(failures.map(({ subject }) => subject));
	const watched = siteIds && new Set(siteIds.map(String));
	return ({ subject, isOver }) =>
		!isOver && !failing.has(subject) && (!watched || !isSite(subject) || watched.has(subject));
}

function isSite(subject: string): boolean {
	return /^-?\d+$/.test(subject);
}

/** The error of a test event, which names each site that failed. */
export function testEventError(node: INode, failures: readonly PollFailure[]): NodeApiError {
	return errorOf(node, failures, true);
}

/** One error for all failures, with the status and the body of the first one. */
function errorOf(node: INode, failures: readonly PollFailure[], isTestEvent = false): NodeApiError {
	const [first, ...others] = failures as [PollFailure, ...PollFailure[]];
	const { failure, isShared } = first;
	const isItself = isShared || others.length === 0;
	const { message, description } = isItself
		? failure
		: MESSAGES.trigger.several(failures.length, failure);
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
	const subjects = failures.slice(MAX_LISTED).map(({ subject }) => subject);
	return subjects.length > 0 ? [SENTENCES.unlisted(subjects)] : [];
}

/** The first of the messages, as sentences. */
function describeFailures(failures: readonly PollFailure[]): string {
	return listOf(failures.map(({ failure }) => failure.message));
}

const RECOVERIES: Record<string, string> = {
	account: MESSAGES.log.account(),
	settings: MESSAGES.log.settings(),
	budget: MESSAGES.log.budget(),
	late: MESSAGES.log.late(),
	time: MESSAGES.log.time(),
};

/** The first of the subjects that have recovered, as sentences. */
export function describeRecoveries(subjects: readonly string[]): string {
	return listOf(
		subjects.map((subject) => RECOVERIES[subject] ?? MESSAGES.log.siteRecovered(subject)),
	);
}

const MAX_LISTED = 5;

function listOf(messages: readonly string[]): string {
	const sentences = messages.slice(0, MAX_LISTED).map((message) => `${message}.`);
	const more = messages.length - sentences.length;
	return [...sentences, ...(more > 0 ? [SENTENCES.more(more)] : [])].join(' ');
}
