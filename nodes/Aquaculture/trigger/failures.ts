import type { INode, NodeApiError } from 'n8n-workflow';
import { MESSAGES, SENTENCES } from '../../../shared/messages';
import { requestError } from '../errors';
import { causeOf, type Failure } from '../transport/failure';
import type { ToldFailure } from './memory';

/** What failed in a poll. */
export interface PollFailure {
	/** The site's ID, or what all sites have in common. */
	subject: string;
	/** Whether it is the failure of several sites, not of one. */
	isShared: boolean;
	failure: Failure;
}

/** How often a failure that goes on is told of. */
const REMINDER_MS = 60 * 60 * 1000;
/** Polls do not come at the exact second. */
const EARLY_MS = 60 * 1000;

/** What came of a poll. */
export interface Report {
	/** What several sites have in common first. */
	failures: readonly PollFailure[];
	/** The sites that were read, by their IDs. */
	sightings: ReadonlyMap<number, unknown>;
	/** The watched sites; undefined where it is not known which these are. */
	siteIds?: readonly number[];
}

/** What is to be told after a poll. */
export interface Notice {
	/** One error for all failures; undefined where they were told of a short while ago. */
	error: NodeApiError | undefined;
	/** The subjects whose failure was told of, and is over. */
	recovered: string[];
	/** What to remember for the next poll. */
	told: ToldFailure[];
}

/**
 * Decides what is told of the failures of a poll: all of them when one is new, or has another cause, and once an hour as
 * long as they go on or come back. A site that fails for a night, or now and then, would fill the list of executions
 * otherwise. When what was told of is over, that is told once.
 *
 * @param before of which failures was told.
 */
export function noticeOf(
	node: INode,
	report: Report,
	before: readonly ToldFailure[],
	now: number,
): Notice {
	const { failures } = report;
	const isRecent = ({ at }: ToldFailure) => Math.abs(now - at) < REMINDER_MS - EARLY_MS;
	const known = new Set(before.filter(isRecent).map(keyOf));
	const current = failures.map(({ subject, failure }) => {
		return { subject, cause: causeOf(failure), at: now, isOver: false };
	});
	const isNews = !current.every((failure) => known.has(keyOf(failure)));
	const toldNow = isNews ? current : [];

	const recovered = recoveredSubjects(report, before);
	const isWaiting = waitingIn(report);
	const again = new Set(toldNow.map(keyOf));
	const kept = before
		.map((told) => (recovered.has(told.subject) ? { ...told, isOver: true } : told))
		.filter((told) => !again.has(keyOf(told)) && (isRecent(told) || isWaiting(told)));
	return {
		error: isNews ? errorOf(node, failures) : undefined,
		recovered: [...recovered],
		told: [...kept, ...toldNow],
	};
}

function keyOf({ subject, cause }: Pick<ToldFailure, 'subject' | 'cause'>): string {
	return `${subject} ${cause}`;
}

/** What sites have in common is over once a site is read without it. */
function recoveredSubjects(
	{ failures, sightings }: Report,
	before: readonly ToldFailure[],
): Set<string> {
	const failing = new Set(failures.map(({ subject }) => subject));
	const isRead = (subject: string) =>
		isSite(subject) ? sightings.has(Number(subject)) : sightings.size > 0;
	return new Set(
		before
			.filter(({ subject, isOver }) => !isOver && !failing.has(subject) && isRead(subject))
			.map(({ subject }) => subject),
	);
}

/** Whether a failure is not over as far as is known, because its subject was not asked for in this poll. */
function waitingIn({ failures, siteIds }: Report): (told: ToldFailure) => boolean {
	const failing = new Set(failures.map(({ subject }) => subject));
	const watched = siteIds && new Set(siteIds.map(String));
	return ({ subject, isOver }) =>
		!isOver && !failing.has(subject) && (!watched || !isSite(subject) || watched.has(subject));
}

function isSite(subject: string): boolean {
	return /^-?\d+$/.test(subject);
}

/** One error for all failures, with the status and the body of the first one. */
function errorOf(node: INode, failures: readonly PollFailure[]): NodeApiError {
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
			SENTENCES.nextPoll(),
		].join(' '),
	});
}

/** The first of the messages, as sentences. */
export function describeFailures(failures: readonly PollFailure[]): string {
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

function listOf(messages: readonly string[]): string {
	const MAX_LISTED = 5;
	const sentences = messages.slice(0, MAX_LISTED).map((message) => `${message}.`);
	const more = messages.length - sentences.length;
	return [...sentences, ...(more > 0 ? [SENTENCES.more(more)] : [])].join(' ');
}
