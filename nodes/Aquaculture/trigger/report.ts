import type { INode, NodeApiError } from 'n8n-workflow';
import { storedToken } from '../account/storedToken';
import { causeOf, type Failure } from '../service/failures';
import { labelOf } from '../service/site';
import { LOGIN, MESSAGES, SENTENCES, type FailureText } from '../messages/messages';
import { requestError } from '../requests/errors';
import type { PollFailure, Reading, Setup } from './readSites';
import { LONGEST_SILENCE_MS, type PollTurn } from './state';

/**
 * Identifies a failure, the same in each poll as long as it goes on. If the service is down or slow, it is the same for all
 * sites, since each poll may ask for other ones.
 */
export function keyOf({ site, failure }: PollFailure): string {
	return site && !failure.retryable ? `${site.siteId} ${causeOf(failure)}` : causeOf(failure);
}

/** One error for all failures, those of one cause together, with the status and the body of the first one. */
export function errorOf(
	node: INode,
	failures: readonly PollFailure[],
	advice: readonly string[] = [],
): NodeApiError {
	const causes = new Map<string, PollFailure[]>();
	for (const each of failures) {
		const cause = `${each.site ? 'site' : ''} ${causeOf(each.failure)}`;
		causes.set(cause, [...(causes.get(cause) ?? []), each]);
	}
	const texts = [...causes.values()].map(textOf);
	const [first, ...others] = texts as [Failure, ...Failure[]];
	const further = others.map(withoutTraceId).map((text) => SENTENCES.failed(undefined, text));
	const description = [first.description, ...further, ...advice].join(' ');
	const traceIds = texts.flatMap(({ traceId }) => traceId ?? []);
	return requestError(node, { ...first, description, traceId: traceIds.join(', ') });
}

/** What failed for the same cause, as one failure that names all sites. */
function textOf(failures: readonly PollFailure[]): Failure {
	const { failure } = failures[0] as PollFailure;
	const names = failures.flatMap(({ site }) => (site ? labelOf(site) : []));
	if (names.length < 2) return failure;
	const message = MESSAGES.trigger.several(names);
	return { ...failure, message, description: SENTENCES.failed(undefined, withoutTraceId(failure)) };
}

/** Trace IDs are told last. */
function withoutTraceId(failure: Failure): Failure {
	return { ...failure, traceId: undefined };
}

/** @param isSilent whether no site could be asked for in so long that it is a failure. */
export function failuresOf(
	setup: Setup,
	reading: Reading,
	turn: PollTurn,
	isSilent = false,
): PollFailure[] {
	const { seen, unread } = reading;
	const failures = [...setup.failures, ...reading.failures];
	const isKnownWhy = unread.length === 0 && failures.length > 0;
	const isNothingRead = seen.size + reading.failures.length === 0;
	const failure =
		isNothingRead && !isKnownWhy
			? failureOfAll(setup, turn, isSilent)
			: failureOfUnread(setup, reading, turn);
	return failure ? [...failures, { failure }] : failures;
}

/** Why no site was read, unless one of the next polls will read them soon. */
function failureOfAll(
	{ client: { account, credential, queue } }: Setup,
	{ isAttended, isRare, beganAt, endsAt }: PollTurn,
	isSilent: boolean,
): FailureText | undefined {
	const delayMs = account.limit.delayMs(queue);
	if (!isAttended && !isRare && !isSilent && delayMs <= LONGEST_SILENCE_MS) return undefined;
	const hasToken = account.tokens.choose(storedToken(account, credential)) !== undefined;
	return hasToken || delayMs > 0
		? MESSAGES.trigger.noPlace(account.limit.textFor(queue), delayMs)
		: MESSAGES.limits.tookTooLong(LOGIN, endsAt - beganAt);
}

/** Why some sites were not read, unless one of the next polls will read them soon. */
function failureOfUnread(
	{ client: { account, queue }, sites }: Setup,
	{ unread }: Reading,
	{ isRare }: PollTurn,
): FailureText | undefined {
	if (unread.length === 0) return undefined;
	const delayMs = account.limit.delayMs(queue);
	if (delayMs > LONGEST_SILENCE_MS) {
		return MESSAGES.trigger.noPlace(account.limit.textFor(queue), delayMs);
	}
	return isRare ? MESSAGES.trigger.unread(unread.map(labelOf), sites.length) : undefined;
}

/** What follows the description of all failures. */
export function adviceOf(setup: Setup, { seen, failures }: Reading): string[] {
	const isOfSome = seen.size > 0 && setup.failures.length + failures.length > 0;
	const isForbidden = failures.some(({ failure }) => failure.forbidden);
	return [
		...(isOfSome && isForbidden ? [SENTENCES.leaveOut()] : []),
		...(isOfSome ? [SENTENCES.othersWatched()] : []),
		SENTENCES.nextPoll(),
	];
}
