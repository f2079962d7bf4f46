import type { INode, NodeApiError } from 'n8n-workflow';
import { requestError } from '../errors';
import type { Failure } from '../transport/failure';
import type { ToldAt } from './memory';

/** What failed in a poll. */
export interface PollFailure {
	/** What a failure that goes on is recognised by: the site's ID, or what all sites have in common. */
	subject: string;
	/** Whether it is the failure of several sites, not of one. */
	isShared: boolean;
	failure: Failure;
}

/** How often a failure that goes on is told of. */
const REMINDER_MS = 60 * 60 * 1000;
/** Polls do not come at the exact second. */
const EARLY_MS = 60 * 1000;

/** What is to be told of the failures of a poll. */
export interface Notice {
	/** One error for all of them; undefined where they were told of a short while ago. */
	error: NodeApiError | undefined;
	/** What to remember for the next poll. */
	toldAt: ToldAt;
}

/**
 * Decides what is told of the failures of a poll: all of them when one is new, and once an hour as long as they go on or
 * come back. A site that fails for a night, or now and then, would fill the list of executions otherwise.
 *
 * @param failures what several sites have in common first.
 * @param toldBefore when failures were told of.
 */
export function noticeOf(
	node: INode,
	failures: readonly PollFailure[],
	toldBefore: ToldAt,
	now: number,
): Notice {
	const recent = Object.entries(toldBefore).filter(
		([, told]) => Math.abs(now - told) < REMINDER_MS - EARLY_MS,
	);
	const known = new Set(recent.map(([subject]) => subject));
	if (failures.every(({ subject }) => known.has(subject))) {
		return { error: undefined, toldAt: Object.fromEntries(recent) };
	}
	const toldNow = failures.map(({ subject }) => [subject, now] as const);
	return { error: errorOf(node, failures), toldAt: Object.fromEntries([...recent, ...toldNow]) };
}

const WHAT_FOLLOWS =
	'The trigger asks again at its next poll, and compares with what it remembers. As long as it goes on, you are told once an hour.';

/** One error for all failures, with the status and the body of the first one. */
function errorOf(node: INode, failures: readonly PollFailure[]): NodeApiError {
	const [first, ...others] = failures as [PollFailure, ...PollFailure[]];
	const { failure, isShared } = first;
	const isItself = isShared || others.length === 0;
	return requestError(node, {
		...failure,
		message: isItself ? failure.message : `${failures.length} sites could not be read`,
		description: [
			...(isItself ? [] : [`${failure.message}.`]),
			failure.description,
			...(others.length > 0 ? [describeFailures(others)] : []),
			WHAT_FOLLOWS,
		].join(' '),
	});
}

/** The first of the messages, as sentences. */
export function describeFailures(failures: readonly PollFailure[]): string {
	const MAX_LISTED = 5;
	const sentences = failures.slice(0, MAX_LISTED).map(({ failure }) => `${failure.message}.`);
	const more = failures.length - sentences.length;
	return [...sentences, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}
