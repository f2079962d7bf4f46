import type { INode, NodeApiError } from 'n8n-workflow';
import { HOUR_MS, MINUTE_MS } from '../../../texts/duration';
import { MESSAGES, SENTENCES } from '../../../texts/messages';
import { requestError } from '../requests/nodeErrors';
import { causeOf, type Failure } from '../requests/failure';
import type { Reported, Subject } from './memory';

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
	/** The watched sites; undefined if it is not known which these are. */
	siteIds?: readonly number[] | undefined;
}

/** What to report of a poll. */
export interface Report {
	/** Whether the failures are reported: one of them is new, or was not reported for an hour. */
	isNews: boolean;
	/** The subjects whose failure was reported, and is over. */
	recovered: Subject[];
	/** What to remember for the next poll. */
	reported: Reported;
}

/**
 * Decides what to report of the failures of a poll: all of them when one is new, or has another cause, and once an hour
 * as long as they go on or come back. A site that fails for a night, or now and then, would fill the list of executions
 * otherwise. When a reported failure is over, that is reported once.
 */
export function reportOf(findings: PollFindings, before: Reported, now: number): Report {
	const keys = findings.failures.map(({ subject, failure }) => `${subject} ${causeOf(failure)}`);
	const recent = new Map(
		Object.entries(before.reported).filter(([, at]) => Math.abs(now - at) < REMINDER_MS - EARLY_MS),
	);
	const isNews = !keys.every((key) => recent.has(key));
	const told = isNews ? keys.map((key) => [key, now] as const) : [];

	const failing = new Set(findings.failures.map(({ subject }) => subject));
	const { recovered, pending } = followUp(findings, failing, before.failing);
	return {
		isNews,
		recovered,
		reported: {
			reported: Object.fromEntries([...recent, ...told]),
			failing: [...new Set([...pending, ...(isNews ? failing : [])])],
		},
	};
}

/**
 * What a poll means for those whose failure was reported before it.
 *
 * @returns who works again, and who is failing still, as far as that is known.
 */
function followUp(
	{ seen, siteIds }: PollFindings,
	failing: ReadonlySet<Subject>,
	before: readonly Subject[],
): { recovered: Subject[]; pending: Subject[] } {
	// What sites share works again once any of them has been read.
	const isRead = (subject: Subject) => (isSite(subject) ? seen.has(subject) : seen.size > 0);
	const isWatched = (subject: Subject) => !isSite(subject) || !siteIds || siteIds.includes(subject);
	const isOver = (subject: Subject) => !failing.has(subject) && isRead(subject);
	return {
		recovered: before.filter(isOver),
		pending: before.filter((subject) => !isOver(subject) && isWatched(subject)),
	};
}

function isSite(subject: Subject): subject is number {
	return typeof subject === 'number';
}

/** One error for all failures of a poll, with the status and the body of the first one. */
export function pollError(node: INode, failures: readonly PollFailure[]): NodeApiError {
	return errorOf(node, groupsOf(failures), [SENTENCES.nextPoll()]);
}

/** The error of a test event, which names each site that failed. */
export function testEventError(node: INode, failures: readonly PollFailure[]): NodeApiError {
	return errorOf(node, groupsOf(failures, Infinity), []);
}

/** The messages of the failures, as sentences. */
export function describeFailures(failures: readonly PollFailure[]): string {
	return groupsOf(failures).map(describe).join(' ');
}

/** Failures that say the same of several sites. */
interface Group {
	failure: Failure;
	count: number;
	isOfSites: boolean;
	/** The other sites, as a sentence. */
	others: string[];
}

/** What sites share comes first. */
function groupsOf(failures: readonly PollFailure[], maxNamed?: number): Group[] {
	const groups = new Map<string, PollFailure[]>();
	for (const each of failures.toSorted(sharedFirst)) {
		const key = each.failure.message.replaceAll(String(each.subject), '');
		groups.set(key, [...(groups.get(key) ?? []), each]);
	}
	return [...groups.values()].flatMap(([first, ...others]) => {
		if (!first) return [];
		const siteIds = others.map(({ subject }) => subject);
		return {
			failure: first.failure,
			count: 1 + others.length,
			isOfSites: isSite(first.subject),
			others: siteIds.length > 0 ? [SENTENCES.sameFor(siteIds, maxNamed)] : [],
		};
	});
}

function sharedFirst(one: PollFailure, other: PollFailure): number {
	return Number(isSite(one.subject)) - Number(isSite(other.subject));
}

function describe({ failure, others }: Group): string {
	return [`${failure.message}.`, ...others].join(' ');
}

function errorOf(node: INode, groups: readonly Group[], advice: readonly string[]): NodeApiError {
	const [first, ...more] = groups as [Group, ...Group[]];
	const count = groups.reduce((sum, group) => sum + group.count, 0);
	const isOfSeveral = first.isOfSites && count > 1;
	return requestError(node, {
		...first.failure,
		...(isOfSeveral && { message: MESSAGES.trigger.several(count) }),
		description: [
			...(isOfSeveral ? [describe(first)] : []),
			first.failure.description,
			...more.map(describe),
			...advice,
		].join(' '),
	});
}
