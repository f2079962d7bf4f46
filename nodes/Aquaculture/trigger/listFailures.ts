import { MINUTE_MS } from '../utils/time';
import { MESSAGES, type FailureText } from '../messages/messages';
import { LOGIN } from '../messages/subject';
import { QUEUE_KINDS } from '../limit/queueKinds';
import { adviseForAllSites, type Failure } from '../service/failures';
import { shortSiteLabel, type SiteRef } from '../service/site';
import type { PollResult, SiteFailure } from './fetchSites';
import type { PollSetup } from './pollSetup';

/**
 * Report sites that were not requested for longer than this. The documented limit is ten minutes; one more allows for late
 * polls.
 */
const MAX_UNREAD_MS = 11 * MINUTE_MS;

export interface PollFailure {
	/** Undefined if all sites share the failure, such as that of the login. */
	site?: SiteRef;
	failure: Failure;
}

/** Lists the failures of a poll: unusable entries of the list, what the service answered, and what there was no time for. */
export function listFailures(setup: PollSetup, result: PollResult): PollFailure[] {
	return [
		...setup.unusableEntries.map((failure) => ({ failure })),
		...listAnswered(setup, result),
		...listUnread(setup, result),
	];
}

/** Lists the failures of sites, that of the account once for all of them. */
function listAnswered(setup: PollSetup, result: PollResult): PollFailure[] {
	const isShared = ({ failure }: SiteFailure) => failure.kind === 'stopsAll';
	const [shared] = result.failed.filter(isShared);
	const leftOut = new Set(listLeftOut(setup, result));
	const others = result.failed.filter((each) => !isShared(each) && !leftOut.has(each.site));
	return [
		...(shared ? [{ failure: shared.failure }] : []),
		...others.map((each) => correctAdvice(each, setup)),
	];
}

/** Lists what there was no time for: one failure at most. */
function listUnread(setup: PollSetup, { unfinished }: PollResult): PollFailure[] {
	const { poll, sites } = setup;
	const unread = unfinished.filter(({ milliseconds }) => milliseconds > MAX_UNREAD_MS);
	// A person who waits is told immediately, a poll that reads nothing only if that lasts.
	if (unfinished.length === sites.length && (poll.kind !== 'regular' || unread.length > 0)) {
		return [{ failure: describeNothingRequested(setup) }];
	}
	// One poll more than it should take, because other requests of the account may delay a site.
	const maxPolls = countPollsOfRound(setup) + 1;
	const overdue = unread.filter(({ polls }) => polls > maxPolls);
	if (overdue.length === 0) return [];
	const names = overdue.map(({ site }) => shortSiteLabel(site));
	return [{ failure: MESSAGES.trigger.unread(names, sites.length, maxPolls) }];
}

/** Returns in how many polls the trigger requests all sites in turns, if no other one uses the account. */
function countPollsOfRound({ poll: { beganAt, endsAt }, client, sites }: PollSetup): number {
	const perMinute = QUEUE_KINDS.poll.share(client.account.settings.requestsPerMinute);
	// Half a minute is enough for the requests of a minute, because a poll begins with many of them.
	const minutes = Math.max(1, (endsAt - beganAt) / MINUTE_MS);
	return Math.ceil(sites.length / (perMinute * minutes));
}

/**
 * Lists the sites that 'Ignore Missing Sites' leaves out. If the service knows none of the sites, they are failures: 'Base URL'
 * may be wrong.
 */
export function listLeftOut({ settings, sites }: PollSetup, { failed }: PollResult): SiteRef[] {
	const unknown = failed.filter(({ failure }) => failure.kind === 'notFound');
	const isOn = settings.ignoresMissing && unknown.length < sites.length;
	return isOn ? unknown.map(({ site }) => site) : [];
}

/** Fits the advice for an unknown site to the settings, such as 'Ignore Missing Sites', which may be on already. */
function correctAdvice({ site, failure }: SiteFailure, { settings }: PollSetup): SiteFailure {
	if (failure.kind === 'notFound' && settings.ignoresMissing) {
		return { site, failure: { ...failure, ...MESSAGES.trigger.noneKnown() } };
	}
	return { site, failure: settings.sitesChoice === 'all' ? adviseForAllSites(failure) : failure };
}

/** Says why no site was requested. */
function describeNothingRequested({ poll, client }: PollSetup): FailureText {
	const { limiter, tokens } = client.account;
	const limit = limiter.describeLimit(client.queue);
	return tokens.current === undefined && limit.delayMs === 0
		? MESSAGES.limits.tookTooLong(LOGIN, poll.endsAt - poll.beganAt)
		: MESSAGES.trigger.noSlot(limit);
}
