import { MINUTE_MS } from '../../texts/duration';
import { MESSAGES, type FailureText, type Limit } from '../../texts/messages';
import type { Budget } from './budget';
import { UNSEEN_ANSWER_MS } from './admission';

/** The failure of a request for which its account has no place now. */
export function describeNoPlace(budget: Budget): FailureText {
	return MESSAGES.limits.reached(limitOf(budget), delayMs(budget));
}

/** What keeps an account from sending more. */
export function limitOf(budget: Budget): Limit {
	const now = budget.refresh();
	const { requestsPerMinute, admission } = budget;
	if (admission.isRefused(now)) return { requestsPerMinute, cause: 'stopped' };
	return { requestsPerMinute, cause: admission.isLowered(now) ? 'lowered' : 'number' };
}

/** How long until somebody who comes now may send so many requests, in milliseconds. */
export function delayMs(budget: Budget, requests = 1): number {
	const now = budget.refresh();
	const { admission, queues, logins } = budget;
	if (now < admission.stoppedUntil) return admission.stoppedUntil - now;
	const newcomers = [...queues].filter((queue) => queue !== logins && queue.held === 0);
	const ahead = logins.waiting.length + newcomers.length;
	const surplus = admission.count + ahead + requests - budget.requestsPerMinute;
	return surplus <= 0 ? 0 : (admission.ended[surplus - 1]?.endsAt ?? now + MINUTE_MS) - now;
}

/**
 * How long it would take to send so many requests, in milliseconds, if nobody else came. Those that count now come before
 * them, and as many of each queue that waits, if it has the time. Two seconds are counted for an answer.
 */
export function plannedMs(budget: Budget, requests: number): number {
	const now = budget.refresh();
	const { admission, queues } = budget;
	const sendsAt = Math.max(now, admission.stoppedUntil);
	const limit = admission.limit(sendsAt);
	const held = admission.countAt(sendsAt);
	if (requests <= limit - held) return sendsAt - now;
	const others = [...queues].reduce(
		(sum, queue) => sum + Math.min(queue.demandInTime(limit, now), requests),
		0,
	);
	const minutes = (held + others + requests) / budget.sustained(limit, now);
	return sendsAt - now + minutes * (MINUTE_MS + UNSEEN_ANSWER_MS);
}
